import type { ConcernReason } from '@inferboard/core/concerns';
import { and, eq } from 'drizzle-orm';
import { createId } from '../ids.ts';
import { concerns } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** Who reports: an account, or by a hash of theirs whoever has no key. */
export type Reporter = { accountId: string } | { hash: string };

export interface NewConcern {
  submissionId: string;
  reporter: Reporter;
  reason: ConcernReason;
  text: string;
}

/** The concern that a reporter has open about a submission, of which there is one at most; null if there is none. */
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

/** Stores a concern and answers its id; null where its reporter has one open about the submission by now. */
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
  return row?.id ?? null;
}
