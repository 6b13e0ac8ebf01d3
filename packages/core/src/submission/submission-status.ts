import type { ResultStatus } from '../subjects/result.ts';

/**
 * Returns the status of a submission: `quarantined` if any result waits for review, else the common status of all results,
 * or `accepted`.
 */
export function submissionStatus(results: readonly { status: ResultStatus }[]): ResultStatus {
  if (results.some(({ status }) => status === 'quarantined')) return 'quarantined';
  const [first, ...others] = new Set(results.map(({ status }) => status));
  return first === undefined || others.length > 0 ? 'accepted' : first;
}
