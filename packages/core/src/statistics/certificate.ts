import { binomialCdf } from './intervals/binomial.ts';

/** Minimum confidence that the largest of the floor's samples is above the percentile. */
const floorConfidence = 0.95;
const boundConfidence = 0.99;

/**
 * Returns the minimum number of samples whose largest value is above percentile `p` (0..100, exclusive) with 95 %
 * confidence. This is the smallest n with 1 - (p / 100)^n >= 0.95: 5 for the median, 299 for the 99th.
 */
export function sampleFloor(p: number): number {
  return Math.ceil(Math.log(1 - floorConfidence) / Math.log(p / 100));
}

function findRank(n: number, share: number): number | null {
  const isAbove = (rank: number) => binomialCdf(rank - 1, n, share) >= boundConfidence;
  if (n === 0 || !isAbove(n)) return null;
  // The rank is above that of the percentile.
  let below = Math.floor(n * share);
  let above = n;
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (isAbove(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** Cached, because results of one artifact usually have the same number of requests. */
const known = new Map<string, number | null>();
const knownMax = 1000;

/**
 * Returns the rank k (1-based) of the smallest order statistic that is above the true percentile `p` (0..100) with 99 %
 * confidence, for any distribution. It is the smallest k with P(Binomial(n, p / 100) <= k - 1) >= 0.99, for n independent
 * samples. Null if not even the largest is sufficient. O(sqrt(n) log n).
 */
export function upperBoundRank(n: number, p: number): number | null {
  const key = `${n} ${p}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const rank = findRank(n, p / 100);
  if (known.size >= knownMax) known.clear();
  known.set(key, rank);
  return rank;
}
