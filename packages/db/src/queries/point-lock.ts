import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Transaction } from '../transaction.ts';

/**
 * Locks points in the order of their ids, so that simultaneous submissions to one point see each other's results and
 * never deadlock (a plain `for update` would: inserting a result already shares a lock on its point's key).
 */
export async function lockPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  await tx.execute(sql`select id from points where id = any(${bigints(pointIds)}) order by id for no key update`);
}
