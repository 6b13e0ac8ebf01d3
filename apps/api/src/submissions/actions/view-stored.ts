import type { ResultStatus } from '@inferboard/core/subjects/result';
import type { SubmissionRow } from '@inferboard/db/boards/lists/row-types';
import { findWouldRanks } from '@inferboard/db/boards/lists/would-rank-find';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { listCountedResults } from '@inferboard/db/submissions/result-counted';
import { listResultsBySubmission } from '@inferboard/db/submissions/result-list';
import { findSubmission } from '@inferboard/db/submissions/submission-find';
import type { Deps } from '../../deps.ts';
import { resultsShownMax } from '../../short/count-results.ts';
import { type SubmissionView, viewSubmission, viewSubmissionShort } from '../submission-views.ts';

interface Wanted {
  duplicate?: boolean;
  /** All results, regardless of their number. */
  isFull?: boolean;
  /** Includes the ranks of results with these statuses. */
  ranked?: readonly ResultStatus[];
}

/** Whether a response has the results: always if there are few, otherwise only if the full form is requested. */
export const hasResults = (count: number, isFull: boolean) => isFull || count <= resultsShownMax;

/** A submission by id. It must exist. */
export async function findStored(db: Queryable, id: string): Promise<SubmissionRow> {
  const row = await findSubmission(db, id);
  if (row === null) throw new Error(`submission ${id} does not exist`);
  return row;
}

/** The response view of a stored submission. */
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
