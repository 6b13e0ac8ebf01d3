import type { ConcernReason } from '@inferboard/core/concerns';
import { and, eq } from 'drizzle-orm';
import { createId } from '../connection/ids.ts';
import type { Queryable } from '../connection/transaction.ts';
import { notifySubmission } from '../runs/notify-submission.ts';
import { concerns, submissions } from '../schema/index.ts';

/** The reporter: an account, or a hash of the address for reports without a key. */
export type Reporter = { accountId: string } | { hash: string };

export interface NewConcern {
  submissionId: string;
  reporter: Reporter;
  reason: ConcernReason;
  text: string;
}

/** The reporter's open concern about a submission, of which at most one can exist; null if there is none. */
export async function findOpenConcern(
  db: Queryable,
  { submissionId, reporter }: Pick<NewConcern, 'submissionId' | 'reporter'>,
): Promise<{ id: string; reason: ConcernReason; text: string } | null> {
  const isTheirs =
    'accountId' in reporter ? eq(concerns.accountId, reporter.accountId) : eq(concerns.reporterHash, reporter.hash);
  const [row] = await db
    .select({ id: concerns.id, reason: concerns.reason, text: concerns.text })
    .from(concerns)
    .where(and(eq(concerns.submissionId, submissionId), eq(concerns.state, 'open'), isTheirs));
  return row ?? null;
}

/**
 * Stores a concern, notifies the submission's account, and returns the id. Returns null if the reporter already has an open
 * concern about the submission.
 */
export async function insertConcern(
  db: Queryable,
  { submissionId, reporter, reason, text }: NewConcern,
): Promise<string | null> {
  const who = 'accountId' in reporter ? { accountId: reporter.accountId } : { reporterHash: reporter.hash };
  const [row] = await db
    .insert(concerns)
    .values({ id: createId('con'), submissionId, reason, text, ...who })
    .onConflictDoNothing()
    .returning({ id: concerns.id });
  if (row === undefined) return null;
  const [owner] = await db
    .select({ accountId: submissions.accountId })
    .from(submissions)
    .where(eq(submissions.id, submissionId));
  if (owner !== undefined)
    await notifySubmission(db, 'submission.disputed', { submissionId, ...owner }, { concern_id: row.id, reason });
  return row.id;
}
