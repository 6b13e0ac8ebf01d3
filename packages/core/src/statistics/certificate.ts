import { binomialCdf } from './binomial.ts';

/** How sure the largest of the floor's samples must be to lie above the percentile. */
const floorConfidence = 0.95;
const boundConfidence = 0.99;

/**
 * Fewest samples whose largest value lies above percentile `p` (0..100, ends excluded) with 95 % confidence:
 * 1 - (p / 100)^n >= 0.95. 5 for the median, 299 for the 99th.
 */
export function sampleFloor(p: number): number {
  return Math.ceil(Math.log(1 - floorConfidence) / Math.log(p / 100));
}

function findRank(n: number, share: number): number | null {
  const isAbove = (rank: number) => binomialCdf(rank - 1, n, share) >= boundConfidence;
  if (n === 0 || !isAbove(n)) return null;
  // The rank lies above that of the percentile itself.
  let below = Math.floor(n * share);
  let above = n;
  while (above - below > 1) {
    const middle = (below + above) >> 1;
    if (isAbove(middle)) above = middle;
    else below = middle;
  }
  return above;
}

/** Results of one artifact mostly have as many requests as each other. */
const known = new Map<string, number | null>();
const knownMax = 1000;

/**
 * Rank k (1-based) of the smallest order statistic that lies above the true percentile `p` (0..100) with 99 %
 * confidence, whatever the distribution: as few as k of n independent samples lie below it only where
 * P(Binomial(n, p / 100) <= k - 1) >= 0.99. Null where not even the largest does. O(sqrt(n) log n).
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
