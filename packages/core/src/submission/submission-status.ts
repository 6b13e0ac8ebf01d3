import type { ResultStatus } from '../result.ts';

/** The status of a submission by those of its results: `quarantined` where one waits for review, else that of all, or `accepted`. */
export function submissionStatus(results: readonly { status: ResultStatus }[]): ResultStatus {
  if (results.some(({ status }) => status === 'quarantined')) return 'quarantined';
  const [first, ...others] = new Set(results.map(({ status }) => status));
  return first === undefined || others.length > 0 ? 'accepted' : first;
}
