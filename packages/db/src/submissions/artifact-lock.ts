import { sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';

const lock = prepared<{ sha256: string }>(
  sql`select sha256 from artifacts where sha256 = ${value('sha256')} for no key update`,
);

/**
 * Blocks other submissions and reviews of the same bytes until the transaction ends, so that they see which result counts. Must
 * be taken before the first row that references the artifact: two transactions with shared locks on its key would deadlock.
 */
export async function lockArtifact(tx: Transaction, sha256: string): Promise<void> {
  await lock(tx, { sha256 });
}
