import type { Metrics } from '../../adapters/adapter.ts';
import { answer, type Check, type Doubt, figure, roundingOf } from '../check.ts';
import { brokenBounds } from '../ratio.ts';
import { rangeOf, toleranceOf } from './arithmetic.ts';

const tolerance = 0.01;

/** Returns one violation if the total differs from its two parts by more than rounding explains. */
function checkSum({ input_tok_s: input, output_tok_s: output }: Metrics, total: number, allowed: number): Doubt[] {
  if (input === undefined || output === undefined) return [];
  const [inputs, outputs] = [rangeOf(input), rangeOf(output)];
  const broken = brokenBounds(total, { low: inputs.low + outputs.low, high: inputs.high + outputs.high }, allowed);
  if (broken === null) return [];
  const message = `A total of ${figure(total)} tok/s is stated, but ${figure(input)} tok/s of input and ${figure(output)} tok/s of output equal ${figure(input + output)} tok/s.`;
  const evidence = { total_tok_s: total, input_tok_s: input, output_tok_s: output, ...broken };
  return [{ severity: 'violation', message, evidence }];
}

export const a20TotalHoldsParts: Check = {
  id: 'A20',
  code: 'total_below_part',
  title: 'The total is the sum of its parts',
  rule:
    'total_tok_s = input_tok_s + output_tok_s if both are stated; total_tok_s >= the one that is stated. Within 1 % and the rounding of the figures as written. ' +
    'Needs total_tok_s and one of the two. A larger difference is a violation: usually a figure was cut, or the figures are from two runs.',
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
    return answer(doubts.length > 0 ? doubts : checkSum(metrics, total, toleranceOf(result, tolerance)));
  },
};
