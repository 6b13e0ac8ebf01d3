import { toOutcome, type Verdict } from '@inferboard/core/submission/outcome';
import type { Submission } from './api.ts';
import { formatPlural } from './format.ts';

export { toOutcome, type Verdict };

/** What became of a submission, first thing on its page. */
export function toVerdict({ status, results, retraction }: Submission): Verdict {
  if (retraction === null && status !== 'retracted') return toOutcome(results);
  return {
    tone: 'bad',
    title: 'Retracted',
    text: `${formatPlural(results.length, 'result')} left the boards. Everything stays readable here.`,
    reasons: retraction === null || retraction.reason === '' ? [] : [retraction.reason],
  };
}
