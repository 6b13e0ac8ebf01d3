import type { UnrankedStatus } from '@inferboard/core/result';
import { formatPlural } from './format.ts';

/** Reasons that are no status of a result. */
type OtherReason =
  | 'below_trust'
  | 'unspecified_model'
  | 'unspecified_gpu'
  | 'unspecified_quantization'
  | 'missing_metric'
  | 'other_definition'
  | 'unpriced_gpu';

/** Which points a board leaves out, by the names that an answer counts them under; each fits after "12 points". */
const words: Record<UnrankedStatus | OtherReason, string> = {
  provisional: 'of new accounts',
  simulated: 'measured on a simulated endpoint, where no model ran',
  not_repetitions: 'whose results differ too much to be repetitions of each other',
  quarantined: 'quarantined until a review by an admin',
  retracted: 'with retracted results',
  below_trust: 'with less trust than the filters ask for',
  unspecified_model: 'of systems that name no model',
  unspecified_gpu: 'of systems that name no GPU',
  unspecified_quantization: 'of systems that name no quantization',
  missing_metric: 'without this metric',
  other_definition: 'whose value was made by a formula that cannot be compared',
  unpriced_gpu: 'on a GPU without a price: add one to the address, as price[GPU]=2.10',
};

/**
 * "12 points without this metric": why a board leaves points out.
 *
 * @param isAtLeast whether there may be more than were counted
 */
export function exclusionText(reason: string, count: number, isAtLeast = false): string {
  const points = isAtLeast ? `at least ${formatPlural(count, 'point')}` : formatPlural(count, 'point');
  return reason in words
    ? `${points} ${words[reason as keyof typeof words]}`
    : `${points}: ${reason.replaceAll('_', ' ')}`;
}

/** Every reason to leave a point out. */
export const excludedRows = Object.entries(words).map(([reason, which]) => ({ reason, means: `Points ${which}.` }));
