import type { Finding } from '@inferboard/core/checks/check';
import { copiedFinding } from '@inferboard/core/claims/copied-finding';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { eventFindingCodes } from '@inferboard/core/submission/re-derived';
import { type Mapping, type ReviewDecision, reviewedFinding } from '@inferboard/core/submission/review';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { and, eq, sql } from 'drizzle-orm';
import { holdStanding } from '../accounts/account-standing.ts';
import { findCopiesAgain } from '../claims/copies-find.ts';
import { electFirstResults, listCopyFindings, texts, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import { type Done, nothingMore, type Transaction, transact } from '../connection/transaction.ts';
import { statusUnder } from '../points/apply-standing.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { upsertPoints } from '../points/point-upsert.ts';
import { notifyCleared } from '../runs/notify-submission.ts';
import type { Standing } from '../schema/accounts.ts';
import { results as resultRows, reviews, submissions } from '../schema/index.ts';
import { lockArtifact } from '../submissions/artifact-lock.ts';
import { type Rewrite, rewriteResults } from '../submissions/result-rewrite.ts';
import { queueRegressionCheck } from './regression-check.ts';

/** The outcome of a review for one held result. */
export interface ReviewChange {
  id: string;
  /** Mapped names of this result; null if it is accepted unchanged. */
  mapping: Mapping | null;
  /** The result re-read and re-checked under its mapped names; null if figures and findings are unchanged. */
  reread: CheckedResult | null;
}

export interface NewReview {
  submissionId: string;
  accountId: string;
  decision: ReviewDecision;
  note: string;
  mapping: Mapping | null;
  /** Ids of the reviewed results. */
  results: string[];
  /** Number of the submission's reviews when this one was decided. */
  reviewsBefore: number;
  changes: ReviewChange[];
}

interface StoredResult {
  id: string;
  accountId: string;
  ordinal: number;
  pointId: number;
  /** Findings about the review process, not about the figures. They survive a re-check. */
  lasting: Finding[];
}

const eventFindings = `$[*] ? (${eventFindingCodes.map((code) => `@.code == "${code}"`).join(' || ')})`;

async function listStored(tx: Transaction, ids: readonly string[]): Promise<Map<string, StoredResult>> {
  const rows = (await tx.execute(sql`
    select r.id, r.account_id as "accountId", r.ordinal, r.point_id,
      jsonb_path_query_array(r.findings, ${eventFindings}::jsonpath) as lasting
    from results r where r.id in ${texts(ids)}`)) as unknown as (Omit<StoredResult, 'pointId'> & {
    point_id: string;
  })[];
  return new Map(rows.map(({ point_id, ...row }) => [row.id, { ...row, pointId: Number(point_id) }]));
}

/** The reviewed submission, and whether its results may rank. */
interface Reviewed {
  artifactSha256: string;
  standing: Standing;
}

/** Locks the submission until the transaction ends. Null if it changed since the review was decided. */
async function lockUnchanged(tx: Transaction, review: NewReview): Promise<Reviewed | null> {
  const [submission] = await tx
    .select({
      status: submissions.status,
      artifactSha256: submissions.artifactSha256,
      accountId: submissions.accountId,
    })
    .from(submissions)
    .where(eq(submissions.id, review.submissionId))
    .for('no key update');
  if (submission === undefined || submission.status === 'retracted') return null;
  // A separate statement, because only the next statement sees rows committed during the wait for the lock.
  const reviewsNow = await tx.$count(reviews, eq(reviews.submissionId, review.submissionId));
  if (reviewsNow !== review.reviewsBefore) return null;
  return { artifactSha256: submission.artifactSha256, standing: await holdStanding(tx, submission.accountId) };
}

/** Changes the results and their findings. Returns the points they left and joined. */
async function applyChanges(
  tx: Transaction,
  review: NewReview & { id: string },
  { artifactSha256, standing }: Reviewed,
): Promise<number[]> {
  const { submissionId, changes } = review;
  const stored = await listStored(
    tx,
    changes.map(({ id }) => id),
  );
  const known = changes.map((change) => {
    const before = stored.get(change.id);
    if (before === undefined) throw new Error(`result ${change.id} does not exist`);
    return { ...change, before };
  });
  const reread = known.flatMap(({ reread: result, ...rest }) =>
    result === null ? [] : [{ ...rest, result: { ...result, status: statusUnder(standing, result.status) } }],
  );
  const { places } = await upsertPoints(
    tx,
    reread.map(({ result }) => result),
  );
  const pointIds = places.map(({ id }) => id);
  const rewrites = reread.map(
    ({ id, result, before }, index): Rewrite => ({
      id,
      submissionId,
      accountId: before.accountId,
      ordinal: before.ordinal,
      pointId: pointIds[index] ?? -1,
      result,
    }),
  );
  const fresh = await rewriteResults(tx, rewrites);
  const cleared = known.filter(({ reread: result }) => result === null).map(({ id }) => id);
  // An admin cannot clear this finding: the submitter must state how the rows differ.
  await tx.execute(sql`
    update results set status = case when findings @> '[{"code": "not_repetitions"}]' then 'not_repetitions'
      else ${statusUnder(standing, 'accepted')} end
    where id in ${texts(cleared)}`);

  const points = [...new Set([...known.map(({ before }) => before.pointId), ...pointIds])];
  const found = await findCopiesAgain(tx, known[0]?.before.accountId ?? '', rewrites);
  const elected = await electFirstResults(tx, artifactSha256, points);
  const copies = await listCopyFindings(tx, [...fresh.keys()]);
  // For copies found now, the original is known.
  for (const [id, first] of found) if (!elected.includes(id)) copies.set(id, copiedFinding(first));
  const findings = known.map(({ id, mapping, before }) => {
    const own = reviewedFinding({ ...review, mapping });
    // Replaces the findings of re-checked results; adds to those of the others.
    return { id, findings: fresh.has(id) ? [copies.get(id) ?? [], before.lasting, own].flat() : [own] };
  });
  await tx.execute(sql`
    update results r set findings = r.findings || w.findings
    from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as w(id text, findings jsonb) where r.id = w.id`);
  await updateCopyFindings(
    tx,
    elected.filter((id) => !fresh.has(id)),
  );
  return points;
}

const countHeld = (tx: Transaction, submissionId: string) =>
  tx.$count(resultRows, and(eq(resultRows.submissionId, submissionId), eq(resultRows.status, 'quarantined')));

async function storeReview(tx: Transaction, review: NewReview): Promise<boolean> {
  const submission = await lockUnchanged(tx, review);
  if (submission === null) return false;
  const id = createId('rev');
  const { submissionId, accountId, decision, note, mapping, results } = review;
  await tx.insert(reviews).values({ id, submissionId, accountId, decision, note, mapping, results });
  if (review.changes.length === 0) return true;
  await lockArtifact(tx, submission.artifactSha256);
  const heldBefore = await countHeld(tx, submissionId);
  const points = await applyChanges(tx, { ...review, id }, submission);
  const left = (await tx.execute(
    sql`select distinct status from results where submission_id = ${submissionId}`,
  )) as unknown as Pick<CheckedResult, 'status'>[];
  await tx
    .update(submissions)
    .set({ status: submissionStatus(left) })
    .where(eq(submissions.id, submissionId));
  await refreshPointStatistics(tx, points);
  await queueRegressionCheck(tx, submissionId);
  await notifyCleared(tx, submissionId, heldBefore - (await countHeld(tx, submissionId)));
  return true;
}

/**
 * Stores an admin's decision with all consequences, in one transaction: the results' points, statuses and findings, the
 * election among equal results, and the statistics of every affected point. Returns false and stores nothing if the submission
 * was reviewed or retracted since the decision.
 */
export async function insertReview(db: Database['db'], review: NewReview, done: Done = nothingMore): Promise<boolean> {
  return transact(db, async (tx) => {
    const isStored = await storeReview(tx, review);
    if (isStored) await done(tx);
    return isStored;
  });
}
