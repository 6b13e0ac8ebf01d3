import { eq, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { submissions } from '../schema/index.ts';
import { type Done, nothingMore, type Transaction, transact } from '../transaction.ts';
import { lockArtifact } from './artifact-lock.ts';
import { takeOff } from './results-taken-off.ts';

/** The same within a transaction of the caller's. */
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
  await takeOff(tx, submission.sha256, sql`update results set status = 'retracted' where submission_id = ${id}`);
  return true;
}

/**
 * Takes a submission off the boards with everything that follows from it, in one transaction: its results, which of the
 * same lines of others now counts, and the statistics of every point. What was stored stays. False if it was retracted
 * already.
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
