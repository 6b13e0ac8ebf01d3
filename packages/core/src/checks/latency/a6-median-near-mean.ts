import { distributions } from '../arithmetic/arithmetic.ts';
import { type Check, type Doubt, figure, roundingOf } from '../check.ts';

/**
 * The distance is at most the deviation that divides by n. The one that divides by n - 1 is larger by sqrt(n / (n - 1)).
 * Results do not state which one their tool prints. Using the printed value is exact for the first and lenient for the
 * second.
 */
export const a6MedianNearMean: Check = {
  id: 'A6',
  code: 'median_far_from_mean',
  title: 'Mean and median differ by at most the standard deviation',
  rule:
    'abs(mean - p50) <= sd for every latency, within the rounding of the three figures as written; needs all three. Some tools divide by n for the deviation and some by n - 1. The stated value is used unchanged, which is never stricter than the exact bound. ' +
    'A larger distance is a violation: median and mean are from different samples.',
  check({ result: { metrics } }) {
    const doubts: Doubt[] = [];
    let isJudged = false;
    for (const { family, names } of distributions) {
      const [mean, p50, sd] = [metrics[names.mean], metrics[names.p50], metrics[names.sd]];
      if (mean === undefined || p50 === undefined || sd === undefined) continue;
      isJudged = true;
      const distance = Math.abs(mean - p50);
      if (distance <= sd) continue;
      const bound = sd + roundingOf(sd) + roundingOf(mean) + roundingOf(p50) + 1e-9 * mean;
      if (distance <= bound) continue;
      doubts.push({
        severity: 'violation',
        message: `${family.title}: mean ${figure(mean)} ${family.unit} and median ${figure(p50)} ${family.unit} are ${figure(distance)} ${family.unit} apart, which is more than the standard deviation of ${figure(sd)} ${family.unit}.`,
        evidence: { metric: family.base, mean, p50, sd, distance, bound },
      });
    }
    if (!isJudged) return 'not_applicable';
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
