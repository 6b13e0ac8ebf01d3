import type { Queryable } from '@inferboard/db/connection/transaction';
import type { Failure } from '@inferboard/db/runs/run-progress';
import { listMeasuredPoints } from '@inferboard/db/runs/run-search';
import { listSubmissionsOfRun } from '@inferboard/db/runs/run-submissions';
import type { FailureCode } from './run-failure.ts';

/** Why a point has no result, as stored in its summary. */
export interface NoResult {
  code: FailureCode;
  message: string;
}

/** Reasons to list; a run of many points would have too many. */
const reasonsMax = 3;

/**
 * Why none of the measured points of a run has a result; null if a result is stored. Reads what the points stored, because
 * another worker may have measured them.
 */
export async function failureOfEmptyRun(db: Queryable, runId: string): Promise<Failure | null> {
  if ((await listSubmissionsOfRun(db, runId)).length > 0) return null;
  const reasons = (await listMeasuredPoints(db, runId)).flatMap(({ summary }) => {
    const { no_result: reason } = summary as { no_result?: NoResult };
    return reason === undefined ? [] : [reason];
  });
  const messages = [...new Set(reasons.map(({ message }) => message))].slice(-reasonsMax);
  return {
    code: reasons.at(-1)?.code ?? 'endpoint_failing',
    message: `The run has no result: ${messages.length === 0 ? 'no request succeeded' : messages.join('; ')}.`,
  };
}
