import type { UnrankedStatus } from '@inferboard/core/subjects/result';
import { formatPlural } from '../../../lib/format.ts';

/** Reasons that are not a status of a result. */
type OtherReason =
  | 'below_trust'
  | 'unspecified_model'
  | 'unspecified_gpu'
  | 'unspecified_quantization'
  | 'missing_metric'
  | 'other_definition'
  | 'unpriced_gpu';

/** Words for the exclusion reasons, by the API's names; each follows "12 points". */
const words: Record<UnrankedStatus | OtherReason, string> = {
  provisional: 'of new accounts',
  simulated: 'measured on a simulated endpoint, where no model ran',
  not_repetitions: 'whose results differ too much to be repetitions of each other',
  quarantined: 'quarantined until a review by an admin',
  retracted: 'with retracted results',
  below_trust: 'with less trust than the filters require',
  unspecified_model: 'of systems without a model',
  unspecified_gpu: 'of systems without a GPU',
  unspecified_quantization: 'of systems without a quantization',
  missing_metric: 'without this metric',
  other_definition: 'whose value was computed with a formula that cannot be compared',
  unpriced_gpu: 'on a GPU without a price: add one to the URL, such as price[GPU]=2.10',
};

/**
 * "12 points without this metric": the text of one exclusion reason.
 *
 * @param isAtLeast whether the count is a lower bound
 */
export function exclusionText(reason: string, count: number, isAtLeast = false): string {
  const points = isAtLeast ? `at least ${formatPlural(count, 'point')}` : formatPlural(count, 'point');
  return reason in words
    ? `${points} ${words[reason as keyof typeof words]}`
    : `${points}: ${reason.replaceAll('_', ' ')}`;
}

/** All exclusion reasons in words. */
export const excludedRows = Object.entries(words).map(([reason, which]) => ({ reason, means: `Points ${which}.` }));
