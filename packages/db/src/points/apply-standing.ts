import type { ResultStatus } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { ApplyStanding } from '../accounts/account-standing.ts';
import { electFirstResults, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Transaction } from '../connection/transaction.ts';
import { queueRegressionCheck } from '../reviews/regression-check.ts';
import type { Standing } from '../schema/accounts.ts';
import { lockArtifact } from '../submissions/artifact-lock.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';

/** The status of a result that qualifies for ranking, by the account's standing. Results of new accounts are provisional. */
export function statusUnder(standing: Standing, status: ResultStatus): ResultStatus {
  if (status !== 'accepted' && status !== 'provisional') return status;
  return standing === 'new' ? 'provisional' : 'accepted';
}

/** Submissions of an account with results of this status, oldest first, with the points of those results. */
async function listHeld(tx: Transaction, accountId: string, status: ResultStatus) {
  return (await tx.execute(sql`
    select sub.id, sub.artifact_sha256 as sha256, array_agg(distinct r.point_id)::int[] as points
    from submissions sub join results r on r.submission_id = sub.id
    where sub.account_id = ${accountId} and r.status = ${status}
    group by sub.id order by sub.id`)) as unknown as { id: string; sha256: string; points: number[] }[];
}

/**
 * Makes an account's results rank once it is established or vouched for, and provisional if it becomes new again. Also
 * re-elects among equal artifacts and refreshes the statistics of every affected point.
 */
export const applyStanding: ApplyStanding = async (tx, accountId, after) => {
  const [before, now] = after === 'new' ? ['accepted', 'provisional'] : ['provisional', 'accepted'];
  const held = await listHeld(tx, accountId, before as ResultStatus);
  const points = new Set<number>();
  for (const { id, sha256, points: ofSubmission } of held) {
    await lockArtifact(tx, sha256);
    await tx.execute(sql`update results set status = ${now} where submission_id = ${id} and status = ${before}`);
    await tx.execute(sql`update submissions set status = ${now} where id = ${id} and status = ${before}`);
    await updateCopyFindings(tx, await electFirstResults(tx, sha256, ofSubmission));
    if (now === 'accepted') await queueRegressionCheck(tx, id);
    for (const point of ofSubmission) points.add(point);
  }
  if (points.size > 0) await refreshPointStatistics(tx, [...points]);
};
