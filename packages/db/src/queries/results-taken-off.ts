import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../transaction.ts';
import { electFirstResults, retellCopies } from './first-result-elect.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';

/**
 * Changes results of an artifact so that they are on no board, and does what follows from it: which of the same lines of
 * others now counts, and the statistics of every point. The caller holds the artifact's lock. Tells how many there were.
 *
 * @param change an update of results, without its `returning`
 */
export async function takeOff(tx: Transaction, sha256: string, change: SQL): Promise<number> {
  const rows = (await tx.execute(sql`${change} returning point_id`)) as unknown as { point_id: string }[];
  const pointIds = [...new Set(rows.map(({ point_id }) => Number(point_id)))];
  const elected = await electFirstResults(tx, sha256, pointIds);
  await retellCopies(tx, elected);
  await refreshPointStatistics(tx, pointIds);
  return rows.length;
}
