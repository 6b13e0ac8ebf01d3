import type { Finding } from '@inferboard/core/checks/check';
import { eq, sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { notifyHeld } from '../runs/notify-submission.ts';
import { submissions } from '../schema/index.ts';
import { lockArtifact } from './artifact-lock.ts';
import { removeFromBoards } from './remove-from-boards.ts';

/**
 * Takes a submission's results off the boards until a review accepts them. Re-elects the counting results among equal lines and
 * refreshes the statistics of every affected point. The finding states the reason; results that are already held keep their own
 * reasons. The caller's transaction must hold the submission's lock.
 */
export async function quarantineIn(tx: Transaction, id: string, why: Finding): Promise<void> {
  const [submission] = await tx
    .select({ sha256: submissions.artifactSha256 })
    .from(submissions)
    .where(eq(submissions.id, id));
  if (submission === undefined) throw new Error(`submission ${id} does not exist`);
  await lockArtifact(tx, submission.sha256);
  const count = await removeFromBoards(
    tx,
    submission.sha256,
    sql`update results set status = 'quarantined', findings = findings || ${JSON.stringify([why])}::jsonb
      where submission_id = ${id} and status in ('accepted', 'provisional')`,
  );
  if (count === 0) return;
  await tx.update(submissions).set({ status: 'quarantined' }).where(eq(submissions.id, id));
  await notifyHeld(tx, id);
}
