import { sql } from 'drizzle-orm';
import { prepared, value } from '../statement.ts';
import type { Transaction } from '../transaction.ts';

const lock = prepared<{ sha256: string }>(
  sql`select sha256 from artifacts where sha256 = ${value('sha256')} for no key update`,
);

/**
 * Makes other transactions that submit or review the same bytes wait for the end of this one, so that they see which of
 * the results counts. Taken before the first row that refers to the artifact: two that shared its key would never go on.
 */
export async function lockArtifact(tx: Transaction, sha256: string): Promise<void> {
  await lock(tx, { sha256 });
}
