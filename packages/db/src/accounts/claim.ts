import { and, eq, gt, sql } from 'drizzle-orm';
import { electFirstResults, updateCopyFindings } from '../claims/first-result-elect.ts';
import type { Database } from '../connection/client.ts';
import { type Queryable, type Transaction, transact } from '../connection/transaction.ts';
import { statusUnder } from '../points/apply-standing.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { queueRegressionCheck } from '../reviews/regression-check.ts';
import { submissionClaims, submissions } from '../schema/index.ts';
import { lockArtifact } from '../submissions/artifact-lock.ts';
import { holdStanding } from './account-standing.ts';

/** Days that a claim link is valid. */
export const claimDays = 30;

/** The link by which an account can claim a submission. */
export interface ClaimLink {
  /** SHA-256 of its token. */
  hash: string;
  expiresAt: string;
}

/** Stores a link that lets an account claim a submission that was sent without a key. */
export async function insertClaim(db: Queryable, claim: ClaimLink & { submissionId: string }): Promise<void> {
  await db.insert(submissionClaims).values(claim);
}

/** The account of a submission that was sent without a key, by its claim link. Null if the link is wrong, used or expired. */
export async function findClaimableAccount(db: Queryable, hash: string): Promise<{ id: string; name: string } | null> {
  const [account] = (await db.execute(sql`
    select a.id, a.name from submission_claims k
    join submissions s on s.id = k.submission_id
    join accounts a on a.id = s.account_id
    where k.hash = ${hash} and k.expires_at > now()`)) as unknown as { id: string; name: string }[];
  return account ?? null;
}

/** Removes an account without submissions and keys: one created for a rejected or claimed submission. Vouched accounts stay. */
export async function removeEmptyAccount(db: Queryable, id: string): Promise<void> {
  await db.execute(sql`
    delete from accounts a where a.id = ${id} and a.standing <> 'vouched'
      and not exists (select from submissions s where s.account_id = a.id)
      and not exists (select from api_keys k where k.account_id = a.id)`);
}

/** The outcome of a claim: `invalid` for a wrong, used or expired link; `duplicate` if the account has the same submission. */
export type Claimed = 'claimed' | 'invalid' | 'duplicate';

/** Whether an account has an unretracted submission with the same bytes and metadata. */
async function hasSame(tx: Transaction, id: string, accountId: string): Promise<boolean> {
  const rows = await tx.execute(sql`
    select from submissions s join submissions own on own.fingerprint = s.fingerprint
    where s.id = ${id} and own.id <> s.id and own.account_id = ${accountId} and own.retracted_at is null`);
  return rows.length > 0;
}

/** Transfers a submission's results to another account and returns their points. */
async function moveResults(tx: Transaction, id: string, accountId: string): Promise<number[]> {
  const rows = (await tx.execute(sql`
    update results set account_id = ${accountId} where submission_id = ${id} returning point_id`)) as unknown as {
    point_id: string;
  }[];
  await tx.execute(sql`
    update result_anchors a set account_id = ${accountId} from results r
    where r.submission_id = ${id} and a.result_id = r.id`);
  return [...new Set(rows.map(({ point_id }) => Number(point_id)))];
}

/**
 * Assigns a submission that was sent without a key to an account, in one transaction. From then on its results count with that
 * account's standing. The link works once.
 */
export async function claimSubmission(
  db: Database['db'],
  { id, hash, accountId }: { id: string; hash: string; accountId: string },
): Promise<Claimed> {
  return transact(db, async (tx) => {
    const standing = await holdStanding(tx, accountId);
    const isValid = and(
      eq(submissionClaims.submissionId, id),
      eq(submissionClaims.hash, hash),
      gt(submissionClaims.expiresAt, sql`now()`),
    );
    const [claim] = await tx.select().from(submissionClaims).where(isValid).for('update');
    if (claim === undefined) return 'invalid';
    const [submission] = await tx
      .select({ from: submissions.accountId, sha256: submissions.artifactSha256 })
      .from(submissions)
      .where(eq(submissions.id, id))
      .for('no key update');
    if (submission === undefined) throw new Error(`submission ${id} does not exist`);
    // Before the look at what the account has: an upload or another claim of the same bytes may be under way.
    await lockArtifact(tx, submission.sha256);
    if (await hasSame(tx, id, accountId)) return 'duplicate';
    await tx.delete(submissionClaims).where(isValid);
    await tx.update(submissions).set({ accountId }).where(eq(submissions.id, id));
    const points = await moveResults(tx, id, accountId);
    const status = statusUnder(standing, 'provisional');
    // Accepted where an admin vouched for the account of the submission.
    const before = status === 'accepted' ? 'provisional' : 'accepted';
    await tx.execute(sql`update results set status = ${status} where submission_id = ${id} and status = ${before}`);
    await tx.execute(sql`update submissions set status = ${status} where id = ${id} and status = ${before}`);
    await updateCopyFindings(tx, await electFirstResults(tx, submission.sha256, points));
    if (status === 'accepted') await queueRegressionCheck(tx, id);
    await refreshPointStatistics(tx, points);
    // An upload in progress holds the account, which then does not stay empty.
    const free = await tx.execute(sql`select from accounts where id = ${submission.from} for update skip locked`);
    if (free.length > 0) await removeEmptyAccount(tx, submission.from);
    return 'claimed';
  });
}
