import { type SQL, sql } from 'drizzle-orm';
import { electFirstResults, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Transaction } from '../connection/transaction.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';

/**
 * Takes results of an artifact off the boards, re-elects the counting results among equal lines, and refreshes the statistics
 * of every affected point. The caller must hold the artifact's lock. Returns the number of changed results.
 *
 * @param change an update of results, without its `returning`
 */
export async function removeFromBoards(tx: Transaction, sha256: string, change: SQL): Promise<number> {
  const rows = (await tx.execute(sql`${change} returning point_id`)) as unknown as { point_id: string }[];
  const pointIds = [...new Set(rows.map(({ point_id }) => Number(point_id)))];
  const elected = await electFirstResults(tx, sha256, pointIds);
  await updateCopyFindings(tx, elected);
  await refreshPointStatistics(tx, pointIds);
  return rows.length;
}
