import { sql } from 'drizzle-orm';
import { rankPoints } from '../boards/rank-points.ts';
import { chooseRepresentatives, storeRepresentatives } from '../claims/choose-representatives.ts';
import { isFlooded, sumUp, sumUpInParts } from '../claims/claim-sum.ts';
import type { Transaction } from '../connection/transaction.ts';
import { bigints } from '../copy/bulk.ts';
import { copyRows } from '../copy/copy.ts';
import { toStatisticsRows } from '../point-statistics/claim-rows.ts';
import type { ClaimSummary } from '../point-statistics/claim-summary.ts';
import { pointStatistics } from '../schema/index.ts';
import { lockPoints } from './point-lock.ts';
import { batches, readAdditions, type StoredClaim } from './point-statistics-read.ts';

/** Recomputes the statistics of points from their stored results, in the caller's transaction. */
export async function refreshPointStatistics(tx: Transaction, pointIds: readonly number[]): Promise<void> {
  const ids = [...new Set(pointIds)];
  await lockPoints(tx, ids);
  const claims = (await tx.execute(sql`
    select point_id::int as "pointId", status, account_id as account, own_trust as "ownTrust", count(*)::int as stored
    from results where point_id = any(${bigints(ids)}) and copy_of is null
    group by 1, 2, 3, 4`)) as unknown as StoredClaim[];
  await tx.execute(sql`delete from point_statistics where point_id = any(${bigints(ids)})`);
  // Results that no longer count revert to their own trust.
  await tx.execute(sql`
    update results set trust = own_trust
    where point_id = any(${bigints(ids)}) and (status <> 'accepted' or copy_of is not null) and trust <> own_trust`);
  const summaries: ClaimSummary[] = [];
  for (const claim of claims.filter(isFlooded)) {
    const summary = await sumUpInParts(tx, claim);
    if (summary !== null) summaries.push(summary);
  }
  for (const batch of batches(claims.filter((claim) => !isFlooded(claim)))) {
    summaries.push(...[...(await readAdditions(tx, batch)).values()].map(sumUp));
  }
  const chosen = await chooseRepresentatives(tx, summaries, []);
  await copyRows(tx, pointStatistics, chosen.touched.flatMap(toStatisticsRows));
  await storeRepresentatives(tx, chosen);
  await rankPoints(tx, ids);
}
