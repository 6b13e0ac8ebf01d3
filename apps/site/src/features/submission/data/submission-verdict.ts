import { toOutcome, type Verdict } from '@inferboard/core/submission/outcome';
import type { Submission } from '../../../lib/api.ts';
import { formatPlural } from '../../../lib/format.ts';

export { toOutcome, type Verdict };

/** Training runs differ in steps and data, so no board of serving results has them. */
const trainingText = (count: number) =>
  `${formatPlural(count, 'training result')} stored. Training results are on no board of serving results: their times depend on the steps and the data of each run.`;

/** The status of a submission, at the top of its page. */
export function toVerdict({ status, results, retraction }: Submission): Verdict {
  if (retraction === null && status !== 'retracted') {
    const outcome = toOutcome(results);
    const isTraining = results.length > 0 && results.every(({ kind }) => kind === 'training');
    return isTraining && outcome.tone === 'good' ? { ...outcome, text: trainingText(results.length) } : outcome;
  }
  return {
    tone: 'bad',
    title: 'Retracted',
    text: `${formatPlural(results.length, 'result')} removed from the boards. Everything stays readable here.`,
    reasons: retraction === null || retraction.reason === '' ? [] : [retraction.reason],
  };
}
