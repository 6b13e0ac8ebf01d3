import { eq, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { type Done, nothingMore, type Transaction, transact } from '../connection/transaction.ts';
import { submissions } from '../schema/index.ts';
import { lockArtifact } from './artifact-lock.ts';
import { removeFromBoards } from './remove-from-boards.ts';

/** Retracts a submission within the caller's transaction. */
export async function retractIn(tx: Transaction, id: string, reason: string): Promise<boolean> {
  const [submission] = await tx
    .select({ status: submissions.status, sha256: submissions.artifactSha256 })
    .from(submissions)
    .where(eq(submissions.id, id))
    .for('no key update');
  if (submission === undefined || submission.status === 'retracted') return false;
  await lockArtifact(tx, submission.sha256);
  await tx
    .update(submissions)
    .set({ status: 'retracted', retractedAt: sql`now()`, retractionReason: reason })
    .where(eq(submissions.id, id));
  await removeFromBoards(
    tx,
    submission.sha256,
    sql`update results set status = 'retracted' where submission_id = ${id}`,
  );
  return true;
}

/**
 * Retracts a submission in one transaction: its results leave the boards, the counting results among equal lines are
 * re-elected, and the statistics of every affected point are refreshed. Stored data is kept. Returns false if it was already
 * retracted.
 */
export async function retractSubmission(
  db: Database['db'],
  id: string,
  reason: string,
  done: Done = nothingMore,
): Promise<boolean> {
  return transact(db, async (tx) => {
    const isStored = await retractIn(tx, id, reason);
    if (isStored) await done(tx);
    return isStored;
  });
}
