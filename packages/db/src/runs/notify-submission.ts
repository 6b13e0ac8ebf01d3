import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '../connection/transaction.ts';
import { submissions } from '../schema/index.ts';
import { queueDeliveries } from './webhook-delivery.ts';

/** Events of a submission that its account can subscribe to. */
export type SubmissionEvent = 'submission.held' | 'submission.cleared' | 'submission.disputed';

/**
 * Queues an event about a submission to its account's webhooks, in the transaction that causes it.
 *
 * @param more fields of the event in addition to the submission's id
 */
export async function notifySubmission(
  tx: Queryable,
  event: SubmissionEvent,
  { submissionId, accountId }: { submissionId: string; accountId: string },
  more: Record<string, unknown>,
): Promise<void> {
  const data = { submission_id: submissionId, ...more };
  await queueDeliveries(tx, { accountId, event, body: { type: event, timestamp: new Date().toISOString(), data } });
}

/** The account of a submission and the number of its held results. */
async function findHeld(tx: Transaction, submissionId: string): Promise<{ accountId: string; held: number } | null> {
  const [row] = await tx
    .select({
      accountId: submissions.accountId,
      held: sql<number>`(select count(*)::int from results r where r.submission_id = ${submissionId} and r.status = 'quarantined')`,
    })
    .from(submissions)
    .where(eq(submissions.id, submissionId));
  return row ?? null;
}

/** Notifies the account of a submission that some of its results are held. */
export async function notifyHeld(tx: Transaction, submissionId: string): Promise<void> {
  const found = await findHeld(tx, submissionId);
  if (found === null || found.held === 0) return;
  await notifySubmission(tx, 'submission.held', { submissionId, ...found }, { results_held: found.held });
}

/** Notifies the account of a submission that a review accepted results. `results_held` is the number still held. */
export async function notifyCleared(tx: Transaction, submissionId: string, cleared: number): Promise<void> {
  const found = await findHeld(tx, submissionId);
  if (found === null || cleared === 0) return;
  const counts = { results_cleared: cleared, results_held: found.held };
  await notifySubmission(tx, 'submission.cleared', { submissionId, ...found }, counts);
}
