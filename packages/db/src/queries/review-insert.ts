import type { Finding } from '@inferboard/core/checks/check';
import { copiedFinding } from '@inferboard/core/claims/copied-finding';
import type { CheckedResult } from '@inferboard/core/result';
import { lastingCodes } from '@inferboard/core/submission/re-derived';
import { type Mapping, type ReviewDecision, reviewedFinding } from '@inferboard/core/submission/review';
import { submissionStatus } from '@inferboard/core/submission/submission-status';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import type { Standing } from '../schema/accounts.ts';
import { reviews, submissions } from '../schema/index.ts';
import { type Done, nothingMore, type Transaction, transact } from '../transaction.ts';
import { holdStanding } from './account-standing.ts';
import { lockArtifact } from './artifact-lock.ts';
import { findCopiesAgain } from './copies-find.ts';
import { electFirstResults, listCopyFindings, retellCopies, texts } from './first-result-elect.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';
import { upsertPoints } from './point-upsert.ts';
import { queueRegressionCheck } from './regression-check.ts';
import { type Rewrite, rewriteResults } from './result-rewrite.ts';
import { statusUnder } from './standing-changed.ts';

/** What becomes of one held result. */
export interface ReviewChange {
  id: string;
  /** Names of this result that were mapped; null where it is let in as it is. */
  mapping: Mapping | null;
  /** The result read and judged again under its mapped names; null where its figures and doubts stay. */
  reread: CheckedResult | null;
}

export interface NewReview {
  submissionId: string;
  accountId: string;
  decision: ReviewDecision;
  note: string;
  mapping: Mapping | null;
  /** Ids of the results it is about. */
  results: string[];
  /** Reviews of the submission that were there when this one was decided. */
  reviewsBefore: number;
  changes: ReviewChange[];
}

interface StoredResult {
  id: string;
  accountId: string;
  ordinal: number;
  pointId: number;
  /** Findings about what became of it, not about the figures: they outlive being judged again. */
  lasting: Finding[];
}

const lasting = `$[*] ? (${lastingCodes.map((code) => `@.code == "${code}"`).join(' || ')})`;

async function listStored(tx: Transaction, ids: readonly string[]): Promise<Map<string, StoredResult>> {
  const rows = (await tx.execute(sql`
    select r.id, r.account_id as "accountId", r.ordinal, r.point_id,
      jsonb_path_query_array(r.findings, ${lasting}::jsonpath) as lasting
    from results r where r.id in ${texts(ids)}`)) as unknown as (Omit<StoredResult, 'pointId'> & {
    point_id: string;
  })[];
  return new Map(rows.map(({ point_id, ...row }) => [row.id, { ...row, pointId: Number(point_id) }]));
}

/** What a review is about, and whether its results may rank. */
interface Reviewed {
  artifactSha256: string;
  standing: Standing;
}

/** The submission if it is as it was when the review was decided, which it then stays until the transaction ends. */
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
  // A statement of its own: what a lock was waited for is seen only by the next one.
  const reviewsNow = await tx.$count(reviews, eq(reviews.submissionId, review.submissionId));
  if (reviewsNow !== review.reviewsBefore) return null;
  return { artifactSha256: submission.artifactSha256, standing: await holdStanding(tx, submission.accountId) };
}

/** Changes the results and their findings; answers the points they left and those they came to. */
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
    if (before === undefined) throw new Error(`result ${change.id} vanished`);
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
  // That a result is no repetition is no doubt that an admin could clear: its sender has to say what differs.
  await tx.execute(sql`
    update results set status = case when findings @> '[{"code": "not_repetitions"}]' then 'not_repetitions'
      else ${statusUnder(standing, 'accepted')} end
    where id in ${texts(cleared)}`);

  const points = [...new Set([...known.map(({ before }) => before.pointId), ...pointIds])];
  const found = await findCopiesAgain(tx, known[0]?.before.accountId ?? '', rewrites);
  const elected = await electFirstResults(tx, artifactSha256, points);
  const copies = await listCopyFindings(tx, [...fresh.keys()]);
  // What the judgement rests on is known of those that were found now.
  for (const [id, first] of found) if (!elected.includes(id)) copies.set(id, copiedFinding(first));
  const told = known.map(({ id, mapping, before }) => {
    const own = reviewedFinding({ ...review, mapping });
    // Findings of a result that was judged anew are replaced, all others are added to.
    return { id, told: fresh.has(id) ? [copies.get(id) ?? [], before.lasting, own].flat() : [own] };
  });
  await tx.execute(sql`
    update results r set findings = r.findings || w.told
    from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as w(id text, told jsonb) where r.id = w.id`);
  await retellCopies(
    tx,
    elected.filter((id) => !fresh.has(id)),
  );
  return points;
}

async function storeReview(tx: Transaction, review: NewReview): Promise<boolean> {
  const submission = await lockUnchanged(tx, review);
  if (submission === null) return false;
  const id = createId('rev');
  const { submissionId, accountId, decision, note, mapping, results } = review;
  await tx.insert(reviews).values({ id, submissionId, accountId, decision, note, mapping, results });
  if (review.changes.length === 0) return true;
  await lockArtifact(tx, submission.artifactSha256);
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
  return true;
}

/**
 * Stores what an admin decided with everything that follows from it, in one transaction: the results' points, standings
 * and findings, which of equal results counts, and the statistics of every point they leave or come to. False, and
 * nothing stored, if the submission was reviewed or retracted since the decision was made.
 */
export async function insertReview(db: Database['db'], review: NewReview, done: Done = nothingMore): Promise<boolean> {
  return transact(db, async (tx) => {
    const isStored = await storeReview(tx, review);
    if (isStored) await done(tx);
    return isStored;
  });
}
