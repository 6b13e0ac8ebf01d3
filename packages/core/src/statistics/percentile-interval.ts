import { binomialCdf } from './binomial.ts';

/** Ranks (1-based) among sorted values. */
export interface RankInterval {
  low: number;
  high: number;
}

/** Each end may miss the percentile with half of the 5 % that are left. */
const tail = 0.025;

/** Smallest count from 0 to `n` for which `holds`; it holds for every larger one too. Null if it never does. */
function findFirst(n: number, holds: (count: number) => boolean): number | null {
  let from = 0;
  let to = n + 1;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from > n ? null : from;
}

/**
 * 95 % confidence interval of percentile `p` (0..100, ends excluded) of whatever distribution `n` independent values came
 * from, as the ranks of two of them. The number of values below the percentile is binomial, X of n with p / 100: `low` is
 * the largest rank with P(X <= low - 1) <= 0.025, `high` the smallest with P(X <= high - 1) >= 0.975. Null where the
 * values are too few for either end: below 6 for the median, 368 for the 99th.
 */
export function percentileInterval(n: number, p: number): RankInterval | null {
  if (!(p > 0 && p < 100)) throw new RangeError('a percentile lies between 0 and 100');
  const below = (count: number) => binomialCdf(count, n, p / 100);
  const low = findFirst(n, (count) => below(count) > tail);
  const high = findFirst(n - 1, (count) => below(count) >= 1 - tail);
  return low === null || low === 0 || high === null ? null : { low, high: high + 1 };
}
