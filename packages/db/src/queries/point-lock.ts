import { sql } from 'drizzle-orm';
import { idArray } from '../bulk.ts';
import { prepared, value } from '../statement.ts';
import type { Transaction } from '../transaction.ts';

const lock = prepared<{ ids: string }>(
  sql`select id from points where id = any(${value('ids')}::bigint[]) order by id for no key update`,
);

/**
 * Locks points in the order of their ids, so that simultaneous submissions to one point see each other's results and
 * never deadlock (a plain `for update` would: inserting a result already shares a lock on its point's key).
 */
export async function lockPoints(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  await lock(tx, { ids: idArray(pointIds) });
}
