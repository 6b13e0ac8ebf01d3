import type { MetricFamily } from '../../metrics/metric.ts';
import type { Result } from '../../subjects/result.ts';
import { distributions, isPerRequest } from '../arithmetic/arithmetic.ts';
import { type Check, type Doubt, figure, isAbove, roundingOf } from '../check.ts';

/** Returns the minimum number of samples of a latency; 2, the minimum for a deviation, if it is unknown. */
function samplesAtLeast(base: string, result: Result): number {
  const { requests_ok: ok = 0, output_tokens: tokens = 0 } = result.metrics;
  if (!isPerRequest(result)) return 2;
  if (base === 'ttft_ms' || base === 'e2e_ms') return Math.max(2, ok);
  // Responses of a single token have no TPOT, so the number of requests behind it is unknown.
  const isPerToken = base === 'itl_ms' && result.definitions.itl_ms === 'per_token' && ok > 0;
  return isPerToken ? Math.max(2, tokens - ok) : 2;
}

/** Maximum sample deviation within a range: half of the samples at either end. It divides by n - 1. */
const deviationMost = (range: number, n: number) => (range / 2) * Math.sqrt(n / (n - 1));

function checkDeviation(
  family: MetricFamily,
  { min, max, sd }: Record<'min' | 'max' | 'sd', number>,
  result: Result,
): Doubt | null {
  const n = samplesAtLeast(family.base, result);
  if (sd <= deviationMost(max - min, n)) return null;
  const bound = deviationMost(Math.max(0, max + roundingOf(max) - min + roundingOf(min)), n);
  // Even equal values have a deviation, due to floating-point error of their mean.
  if (sd - roundingOf(sd) <= bound * (1 + 1e-9) + 1e-9 * max) return null;
  return {
    code: 'deviation_above_range',
    severity: 'violation',
    message: `${family.title}: a standard deviation of ${figure(sd)} ${family.unit} is impossible for values from ${figure(min)} to ${figure(max)} ${family.unit}; the maximum is ${figure(bound)} ${family.unit}.`,
    evidence: { metric: family.base, sd, min, max, bound, ratio: bound > 0 ? sd / bound : null, samples: n },
  };
}

export const a5MeanWithinRange: Check = {
  id: 'A5',
  code: 'mean_outside_range',
  title: 'Mean and deviation fit between minimum and maximum',
  rule:
    'min <= mean <= max, and sd <= (max - min) / 2 x sqrt(n / (n - 1)), the maximum for n samples within their range (Popoviciu). n is requests_ok for TTFT and E2E latency, and output_tokens - requests_ok for gaps of single tokens; otherwise 2, which gives the highest limit. Within the rounding of the figures as written. ' +
    'Needs the mean and one end of the range, or the deviation and both ends. Values outside are a violation.',
  check({ result }) {
    const { metrics } = result;
    const doubts: Doubt[] = [];
    let isJudged = false;
    for (const { family, names } of distributions) {
      const [mean, min, max, sd] = [metrics[names.mean], metrics[names.min], metrics[names.max], metrics[names.sd]];
      if (mean !== undefined && (min !== undefined || max !== undefined)) {
        isJudged = true;
        const isBelow = min !== undefined && min > mean && isAbove(min, mean);
        if (isBelow || (max !== undefined && mean > max && isAbove(mean, max))) {
          doubts.push({
            severity: 'violation',
            message: `${family.title}: the mean (${mean} ${family.unit}) is outside its range ${min ?? '?'} to ${max ?? '?'} ${family.unit}.`,
            evidence: { metric: family.base, mean, min: min ?? null, max: max ?? null },
          });
        }
      }
      if (sd === undefined || min === undefined || max === undefined) continue;
      isJudged = true;
      const doubt = checkDeviation(family, { min, max, sd }, result);
      if (doubt !== null) doubts.push(doubt);
    }
    if (!isJudged) return 'not_applicable';
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
