import { eq } from 'drizzle-orm';
import { artifacts } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Makes other transactions that submit or review the same bytes wait for the end of this one, so that they see which of
 * the results counts. Taken before the first row that refers to the artifact: two that shared its key would never go on.
 */
export async function lockArtifact(tx: Transaction, sha256: string): Promise<void> {
  await tx
    .select({ sha256: artifacts.sha256 })
    .from(artifacts)
    .where(eq(artifacts.sha256, sha256))
    .for('no key update');
}
