import type { ResultStatus } from '@inferboard/core/subjects/result';
import { eq, isNotNull, sql } from 'drizzle-orm';
import type { ApplyStanding } from '../accounts/account-standing.ts';
import { electFirstResults, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Database } from '../connection/client.ts';
import { type Transaction, transact } from '../connection/transaction.ts';
import { queueRegressionCheck } from '../reviews/regression-check.ts';
import { accounts, type Standing } from '../schema/accounts.ts';
import { lockArtifact } from '../submissions/artifact-lock.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';

/** The status of a result that qualifies for ranking, by the account's standing. Results of new accounts are provisional. */
export function statusUnder(standing: Standing, status: ResultStatus): ResultStatus {
  if (status !== 'accepted' && status !== 'provisional') return status;
  return standing === 'new' ? 'provisional' : 'accepted';
}

/** Bounds of one batch: the submissions read, and the results after which no further submission begins. */
const submissionsPerBatch = 20;
const resultsPerBatch = 500;

interface Held {
  id: string;
  fingerprint: string;
  sha256: string;
  /** Points of the results with the status to change. */
  points: number[];
}

/** Up to `submissionsPerBatch` standing submissions of an account after a fingerprint, by fingerprint: they have an index. */
async function listNext(tx: Transaction, accountId: string, after: string, status: ResultStatus): Promise<Held[]> {
  return (await tx.execute(sql`
    select sub.id, sub.fingerprint, sub.artifact_sha256 as sha256, coalesce((
      select array_agg(r.point_id)::int[] from results r where r.submission_id = sub.id and r.status = ${status}), '{}') as points
    from submissions sub
    where sub.account_id = ${accountId} and sub.retracted_at is null and sub.fingerprint > ${after}
    order by sub.fingerprint limit ${submissionsPerBatch}`)) as unknown as Held[];
}

/**
 * Sets the status of an account's results by its standing: those of one batch of submissions after `from`. Re-elects among equal
 * artifacts and refreshes the statistics of the affected points. Records in the account how far it came.
 */
async function applyBatch(tx: Transaction, accountId: string, standing: Standing, from: string): Promise<void> {
  const now = statusUnder(standing, 'accepted');
  const before: ResultStatus = now === 'accepted' ? 'provisional' : 'accepted';
  const next = await listNext(tx, accountId, from, before);
  const points = new Set<number>();
  let results = 0;
  let appliedTo = from;
  let taken = 0;
  for (const { id, fingerprint, sha256, points: ofSubmission } of next) {
    if (results >= resultsPerBatch) break;
    taken += 1;
    appliedTo = fingerprint;
    if (ofSubmission.length === 0) continue;
    results += ofSubmission.length;
    await lockArtifact(tx, sha256);
    await tx.execute(sql`update results set status = ${now} where submission_id = ${id} and status = ${before}`);
    await tx.execute(sql`update submissions set status = ${now} where id = ${id} and status = ${before}`);
    await updateCopyFindings(tx, await electFirstResults(tx, sha256, [...new Set(ofSubmission)]));
    if (now === 'accepted') await queueRegressionCheck(tx, id);
    for (const point of ofSubmission) points.add(point);
  }
  if (points.size > 0) await refreshPointStatistics(tx, [...points]);
  const isDone = taken === next.length && next.length < submissionsPerBatch;
  await tx
    .update(accounts)
    .set({ standingAppliedTo: isDone ? null : appliedTo })
    .where(eq(accounts.id, accountId));
}

/**
 * Makes an account's results rank once it is established or vouched for, and provisional if it becomes new again: the first batch
 * of them. `continueStandings` does the rest.
 */
export const applyStanding: ApplyStanding = (tx, accountId, after) => applyBatch(tx, accountId, after, '');

/** Applies the standing of accounts to their remaining results, each batch in its own transaction. */
export async function continueStandings(db: Database['db'], signal?: AbortSignal): Promise<void> {
  for (;;) {
    const [pending] = await db
      .select({ id: accounts.id })
      .from(accounts)
      .where(isNotNull(accounts.standingAppliedTo))
      .orderBy(accounts.id)
      .limit(1);
    if (pending === undefined || signal?.aborted) return;
    await transact(db, async (tx) => {
      const [account] = await tx
        .select({ standing: accounts.standing, appliedTo: accounts.standingAppliedTo })
        .from(accounts)
        .where(eq(accounts.id, pending.id))
        .for('no key update');
      if (account !== undefined && account.appliedTo !== null)
        await applyBatch(tx, pending.id, account.standing, account.appliedTo);
    });
  }
}
