import { toleranceOf } from './arithmetic.ts';
import { answer, type Check, type Doubt, figure, roundingOf } from './check.ts';
import { brokenBounds } from './ratio.ts';

const tolerance = 0.01;

export const a20TotalHoldsParts: Check = {
  id: 'A20',
  code: 'total_below_part',
  title: 'The total is no less than its parts',
  rule:
    'total_tok_s >= output_tok_s and total_tok_s >= input_tok_s, since the total counts the tokens of both. Within 1 % and the rounding of the figures as written. ' +
    'Needs total_tok_s and one of the two. A total further below is a violation: most often the figures are of two runs.',
  check({ result }) {
    const { kind, metrics } = result;
    const { total_tok_s: total } = metrics;
    if (kind !== 'serving' || total === undefined) return 'not_applicable';
    const parts = (['output_tok_s', 'input_tok_s'] as const).flatMap((name) => {
      const value = metrics[name];
      return value === undefined ? [] : [{ name, value }];
    });
    if (parts.length === 0) return 'not_applicable';
    const doubts = parts.flatMap(({ name, value }): Doubt[] => {
      const range = { low: value - roundingOf(value), high: Number.POSITIVE_INFINITY };
      const broken = brokenBounds(total, range, toleranceOf(result, tolerance));
      if (broken === null) return [];
      const message = `A total of ${figure(total)} tok/s is stated, but ${name} alone is ${figure(value)} tok/s.`;
      return [{ severity: 'violation', message, evidence: { total_tok_s: total, [name]: value, lower: broken.lower } }];
    });
    return answer(doubts);
  },
};
