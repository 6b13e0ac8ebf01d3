import { type ConcernAction, type ConcernDecision, upheldFinding } from '@inferboard/core/concerns';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { type Done, nothingMore, type Queryable, type Transaction, transact } from '../connection/transaction.ts';
import { concerns, submissions } from '../schema/index.ts';
import { quarantineIn } from '../submissions/submission-quarantine.ts';
import { retractIn } from '../submissions/submission-retract.ts';
import type { ConcernRow } from './concern-find.ts';

/** The state of a concern that the caller has read. */
export type SeenConcern = Pick<ConcernRow, 'id' | 'submissionId' | 'answeredAt'>;

/** True if the concern is open and has the answer that was read. */
const asSeen = ({ id, answeredAt }: SeenConcern): SQL | undefined =>
  and(
    eq(concerns.id, id),
    eq(concerns.state, 'open'),
    sql`${concerns.answeredAt} is not distinct from ${answeredAt}::timestamptz`,
  );

/**
 * Sets the owner's answer to an open concern, replacing an earlier one. Returns false if the concern changed since it was read.
 */
export async function answerConcern(db: Queryable, seen: SeenConcern, answer: string): Promise<boolean> {
  const answered = await db
    .update(concerns)
    .set({ answer, answeredAt: sql`now()` })
    .where(asSeen(seen))
    .returning({ id: concerns.id });
  return answered.length > 0;
}

export interface Decision {
  decision: ConcernDecision;
  note: string;
  action: ConcernAction;
  accountId: string;
}

const acts: Record<ConcernAction, (tx: Transaction, seen: SeenConcern, note: string) => Promise<unknown>> = {
  none: async () => {},
  quarantine: (tx, { id, submissionId }, note) => quarantineIn(tx, submissionId, upheldFinding({ id, note })),
  retract: (tx, { submissionId }, note) => retractIn(tx, submissionId, note),
};

/** Locks the submission until the transaction ends, and returns whether it is retracted. */
async function isRetracted(tx: Transaction, submissionId: string): Promise<boolean> {
  const [submission] = await tx
    .select({ status: submissions.status })
    .from(submissions)
    .where(eq(submissions.id, submissionId))
    .for('no key update');
  return submission?.status === 'retracted';
}

/**
 * Decides an open concern and applies the action to its submission, in one transaction. Removes the hash of a reporter without
 * a key. Returns `moved` if the concern changed since it was read, or `retracted` if the submission is already retracted;
 * nothing is stored then.
 */
export async function decideConcern(
  db: Database['db'],
  seen: SeenConcern,
  { decision, note, action, accountId }: Decision,
  done: Done = nothingMore,
): Promise<'decided' | 'moved' | 'retracted'> {
  return transact(db, async (tx) => {
    // Locks the submission before the concern, in the same order as other changes of a submission.
    if (action !== 'none' && (await isRetracted(tx, seen.submissionId))) return 'retracted';
    const decided = await tx
      .update(concerns)
      .set({ state: decision, note, action, decidedBy: accountId, decidedAt: sql`now()`, reporterHash: null })
      .where(asSeen(seen))
      .returning({ id: concerns.id });
    if (decided.length === 0) return 'moved';
    await acts[action](tx, seen, note);
    await done(tx);
    return 'decided';
  });
}
