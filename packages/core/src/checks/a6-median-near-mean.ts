import { distributions } from './arithmetic.ts';
import { type Check, type Doubt, figure, roundingOf } from './check.ts';

/**
 * The distance is at most the deviation that divides by n. One that divides by n - 1 is larger by sqrt(n / (n - 1)), and
 * results do not tell which of the two their tool prints: taking it as it stands is exact for the one and lenient for
 * the other.
 */
export const a6MedianNearMean: Check = {
  id: 'A6',
  code: 'median_far_from_mean',
  title: 'Mean and median are no further apart than the deviation',
  rule:
    'abs(mean - p50) <= sd for every latency, within the rounding of the three figures as written; needs all three. Some tools divide by n for the deviation and some by n - 1; what is stated is taken as it stands, which is never stricter than the exact bound. ' +
    'A median further away is a violation: it is of other samples than the mean.',
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
        message: `${family.title}: mean ${figure(mean)} ${family.unit} and median ${figure(p50)} ${family.unit} are ${figure(distance)} ${family.unit} apart; a standard deviation of ${figure(sd)} ${family.unit} allows no more than itself.`,
        evidence: { metric: family.base, mean, p50, sd, distance, bound },
      });
    }
    if (!isJudged) return 'not_applicable';
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
