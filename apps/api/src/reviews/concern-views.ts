import type { Principal } from '@inferboard/db/accounts/account';
import type { ConcernReader, ConcernRow } from '@inferboard/db/reviews/concern-find';
import { instant } from '../views.ts';

/** Which concerns a client may see. */
export const readerOf = (principal: Principal | null): ConcernReader => ({
  accountId: principal?.accountId ?? null,
  isAdmin: principal?.scopes.includes('admin') ?? false,
});

/** The view of a concern for this reader. The query has already checked access. */
export function viewConcern(row: ConcernRow, { isAdmin }: ConcernReader, base: string) {
  const { id, reason, text, state, answer, answeredAt, note, action, decidedBy, decidedAt } = row;
  const submission = `${base}/v1/submissions/${row.submissionId}`;
  return {
    id,
    submission_id: row.submissionId,
    reason,
    text,
    state,
    answer: answer === null || answeredAt === null ? null : { text: answer, at: instant(answeredAt) },
    decision:
      note === null || decidedAt === null
        ? null
        : { note, action: action ?? ('none' as const), by: decidedBy ?? '', at: instant(decidedAt) },
    reporter: isAdmin ? row.reporterId : null,
    created_at: instant(row.createdAt),
    links: { self: `${base}/v1/concerns/${id}`, submission, page: `${base}/submissions/${row.submissionId}#concerns` },
  };
}

export type ConcernView = ReturnType<typeof viewConcern>;
