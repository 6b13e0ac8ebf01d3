import type { Finding } from '@inferboard/core/checks/check';
import { eq, sql } from 'drizzle-orm';
import { submissions } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { lockArtifact } from './artifact-lock.ts';
import { takeOff } from './results-taken-off.ts';

/**
 * Keeps a submission's results off the boards until a review lets them in, with everything that follows from it: which of
 * the same lines of others now counts, and the statistics of every point. The finding says why; results that are held
 * back already keep their own reasons. The caller's transaction holds the submission.
 */
export async function quarantineIn(tx: Transaction, id: string, why: Finding): Promise<void> {
  const [submission] = await tx
    .select({ sha256: submissions.artifactSha256 })
    .from(submissions)
    .where(eq(submissions.id, id));
  if (submission === undefined) throw new Error(`submission ${id} vanished`);
  await lockArtifact(tx, submission.sha256);
  const count = await takeOff(
    tx,
    submission.sha256,
    sql`update results set status = 'quarantined', findings = findings || ${JSON.stringify([why])}::jsonb
      where submission_id = ${id} and status in ('accepted', 'provisional')`,
  );
  if (count > 0) await tx.update(submissions).set({ status: 'quarantined' }).where(eq(submissions.id, id));
}
