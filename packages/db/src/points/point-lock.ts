import { sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { idArray } from '../copy/bulk.ts';

const lock = prepared<{ ids: string }>(
  sql`select id from points where id = any(${value('ids')}::bigint[]) order by id for no key update`,
);

/**
 * Locks points in id order, so that concurrent submissions to one point see each other's results and never deadlock. A plain
 * `for update` would deadlock: inserting a result already takes a shared lock on its point's key.
 */
export async function lockPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  await lock(tx, { ids: idArray(pointIds) });
}
