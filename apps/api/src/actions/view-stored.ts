import type { ResultStatus } from '@inferboard/core/result';
import { listCountedResults } from '@inferboard/db/queries/result-counted';
import { listResultsBySubmission } from '@inferboard/db/queries/result-list';
import type { SubmissionRow } from '@inferboard/db/queries/row-types';
import { findSubmission } from '@inferboard/db/queries/submission-find';
import { findWouldRanks } from '@inferboard/db/queries/would-rank-find';
import type { Queryable } from '@inferboard/db/transaction';
import type { Deps } from '../deps.ts';
import { resultsShownMax } from '../short/count-results.ts';
import { type SubmissionView, viewSubmission, viewSubmissionShort } from '../submission-views.ts';

interface Wanted {
  duplicate?: boolean;
  /** All results, however many they are. */
  isFull?: boolean;
  /** With the ranks of results of these statuses. */
  ranked?: readonly ResultStatus[];
}

/** Whether an answer has the results themselves: of few always, of many where the whole is asked for. */
export const hasResults = (count: number, isFull: boolean) => isFull || count <= resultsShownMax;

/** A submission that must be there. */
export async function findStored(db: Queryable, id: string): Promise<SubmissionRow> {
  const row = await findSubmission(db, id);
  if (row === null) throw new Error(`submission ${id} vanished`);
  return row;
}

/** A stored submission as it is answered. */
export async function viewStored(
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  db: Queryable,
  row: SubmissionRow,
  { duplicate = false, isFull = false, ranked = [] }: Wanted = {},
): Promise<SubmissionView> {
  if (!hasResults(row.results, isFull)) {
    const [[first], results] = await Promise.all([
      listResultsBySubmission(db, row.id, 1),
      listCountedResults(db, row.id),
    ]);
    return viewSubmissionShort(row, { first, results }, publicUrl, duplicate);
  }
  const results = await listResultsBySubmission(db, row.id);
  const hasRanks = results.some(({ status }) => ranked.includes(status));
  const wouldRank = hasRanks ? await findWouldRanks(db, row.id, ranked) : [];
  return viewSubmission(row, results, publicUrl, { duplicate, wouldRank });
}
