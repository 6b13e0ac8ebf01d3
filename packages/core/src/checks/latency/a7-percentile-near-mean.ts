import { distributions } from '../arithmetic/arithmetic.ts';
import { type Check, type Doubt, figure, roundingOf } from '../check.ts';

/** Maximum ratio of each percentile to the mean: 1 / (1 - p). */
const factors = [
  ['p50', 2],
  ['p90', 10],
  ['p95', 20],
  ['p99', 100],
] as const;

/**
 * Exact for percentiles of n samples, not only for distributions. With p (n - 1) = j + f, an interpolated percentile is
 * between the samples x_j <= x_(j+1). The sum of all samples is at least x_j + (n - 1 - j) x_(j+1). That is never less than
 * n (1 - p) times the percentile, whether x_j is 0 or equals x_(j+1). The same applies to nearest ranks, which have fewer
 * samples below them.
 */
export const a7PercentileNearMean: Check = {
  id: 'A7',
  code: 'percentile_far_above_mean',
  title: 'No percentile is too far above the mean',
  rule:
    'p50 <= 2 x mean, p90 <= 10 x mean, p95 <= 20 x mean, p99 <= 100 x mean (Markov): a tenth of the samples cannot each be more than ten times the mean of all. Exact for any number of samples, within the rounding of the figures as written. ' +
    'Needs the mean and one of the percentiles. A higher value is a violation.',
  check({ result: { metrics } }) {
    const doubts: Doubt[] = [];
    let isJudged = false;
    for (const { family, names } of distributions) {
      const mean = metrics[names.mean];
      if (mean === undefined) continue;
      for (const [statistic, factor] of factors) {
        const value = metrics[names[statistic]];
        if (value === undefined) continue;
        isJudged = true;
        if (value <= factor * mean) continue;
        const bound = factor * (mean + roundingOf(mean)) * (1 + 1e-9);
        if (value - roundingOf(value) <= bound) continue;
        doubts.push({
          severity: 'violation',
          message: `${family.title}: ${statistic} (${figure(value)} ${family.unit}) is more than ${factor} times the mean (${figure(mean)} ${family.unit}).`,
          evidence: { metric: family.base, mean, [statistic]: value, bound, ratio: value / mean },
        });
      }
    }
    if (!isJudged) return 'not_applicable';
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
