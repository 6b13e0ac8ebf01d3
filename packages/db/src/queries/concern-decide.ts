import { type ConcernAction, type ConcernDecision, upheldFinding } from '@inferboard/core/concerns';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import { concerns, submissions } from '../schema/index.ts';
import { type Done, nothingMore, type Queryable, type Transaction, transact } from '../transaction.ts';
import type { ConcernRow } from './concern-find.ts';
import { quarantineIn } from './submission-quarantine.ts';
import { retractIn } from './submission-retract.ts';

/** A concern as somebody has read it. */
export type SeenConcern = Pick<ConcernRow, 'id' | 'submissionId' | 'answeredAt'>;

/** Still open, and with the answer that was read. */
const asSeen = ({ id, answeredAt }: SeenConcern): SQL | undefined =>
  and(
    eq(concerns.id, id),
    eq(concerns.state, 'open'),
    sql`${concerns.answeredAt} is not distinct from ${answeredAt}::timestamptz`,
  );

/** Puts down what the owner says to an open concern, in place of what they said before. False if it is not as it was seen. */
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

/** Holds the submission as it is until the transaction ends. */
async function isRetracted(tx: Transaction, submissionId: string): Promise<boolean> {
  const [submission] = await tx
    .select({ status: submissions.status })
    .from(submissions)
    .where(eq(submissions.id, submissionId))
    .for('no key update');
  return submission?.status === 'retracted';
}

/**
 * Decides about an open concern and does what follows for its submission, in one transaction. Who reported without a key
 * is forgotten. `moved` if it is not as it was seen, `retracted` if the submission is off the boards for good already:
 * then nothing is stored.
 */
export async function decideConcern(
  db: Database['db'],
  seen: SeenConcern,
  { decision, note, action, accountId }: Decision,
  done: Done = nothingMore,
): Promise<'decided' | 'moved' | 'retracted'> {
  return transact(db, async (tx) => {
    // Before the concern, in the order in which whoever changes a submission takes its locks.
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
