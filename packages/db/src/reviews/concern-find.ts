import type { ConcernAction, ConcernReason, ConcernState } from '@inferboard/core/concerns';
import { and, desc, eq, lt, ne, or, type SQL } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { accounts, concerns, submissions } from '../schema/index.ts';

/** The reader. Admins see all concerns. Others see decided ones, those about their submissions and those they reported. */
export interface ConcernReader {
  /** Null: an anonymous reader. */
  accountId: string | null;
  isAdmin: boolean;
}

export interface ConcernRow {
  id: string;
  submissionId: string;
  /** Account of the submission. */
  ownerId: string;
  /** Account of the reporter; null if no key was sent. */
  reporterId: string | null;
  reason: ConcernReason;
  text: string;
  state: ConcernState;
  answer: string | null;
  answeredAt: string | null;
  note: string | null;
  action: ConcernAction | null;
  /** Name of the account that decided. */
  decidedBy: string | null;
  decidedAt: string | null;
  createdAt: string;
}

function visibleTo({ accountId, isAdmin }: ConcernReader): SQL | undefined {
  const isDecided = ne(concerns.state, 'open');
  if (isAdmin) return undefined;
  if (accountId === null) return isDecided;
  return or(isDecided, eq(submissions.accountId, accountId), eq(concerns.accountId, accountId));
}

async function select(db: Queryable, where: SQL | undefined, limit: number): Promise<ConcernRow[]> {
  const { id, submissionId, reason, text, state, answer, answeredAt, note, action, decidedAt, createdAt } = concerns;
  const columns = { id, submissionId, reason, text, state, answer, answeredAt, note, action, decidedAt, createdAt };
  return db
    .select({ ...columns, ownerId: submissions.accountId, reporterId: concerns.accountId, decidedBy: accounts.name })
    .from(concerns)
    .innerJoin(submissions, eq(submissions.id, concerns.submissionId))
    .leftJoin(accounts, eq(accounts.id, concerns.decidedBy))
    .where(where)
    .orderBy(desc(id))
    .limit(limit);
}

/** A concern; null if it does not exist or the reader may not see it. */
export async function findConcern(db: Queryable, id: string, reader: ConcernReader): Promise<ConcernRow | null> {
  return (await select(db, and(eq(concerns.id, id), visibleTo(reader)), 1))[0] ?? null;
}

/** Concerns visible to a reader, newest first, sorted by id. */
export function listConcerns(
  db: Queryable,
  reader: ConcernReader,
  question: { submissionId: string | null; state: ConcernState | null; limit: number; after: string | null },
): Promise<ConcernRow[]> {
  const { submissionId, state, limit, after } = question;
  return select(
    db,
    and(
      visibleTo(reader),
      submissionId === null ? undefined : eq(concerns.submissionId, submissionId),
      state === null ? undefined : eq(concerns.state, state),
      after === null ? undefined : lt(concerns.id, after),
    ),
    limit,
  );
}
