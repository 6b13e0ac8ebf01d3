import { toOutcome, type Verdict } from '@inferboard/core/submission/outcome';
import type { Submission } from '../../../lib/api.ts';
import { formatPlural } from '../../../lib/format.ts';

export { toOutcome, type Verdict };

/** The status of a submission, at the top of its page. */
export function toVerdict({ status, results, retraction }: Submission): Verdict {
  if (retraction === null && status !== 'retracted') return toOutcome(results);
  return {
    tone: 'bad',
    title: 'Retracted',
    text: `${formatPlural(results.length, 'result')} removed from the boards. Everything stays readable here.`,
    reasons: retraction === null || retraction.reason === '' ? [] : [retraction.reason],
  };
}
