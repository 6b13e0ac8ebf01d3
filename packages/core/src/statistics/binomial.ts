import { incompleteBeta } from './incomplete-beta.ts';

/**
 * P(X <= k) where X counts the successes among `n` independent trials of probability `p` (0..1): the binomial sum as
 * the incomplete beta function I_(1-p)(n - k, k + 1), to about nine digits, in O(sqrt(n)). A `k` below 0 gives 0, one of
 * `n` or more 1. Throws RangeError where `n` is no count or `p` no probability.
 */
export function binomialCdf(k: number, n: number, p: number): number {
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError('the number of trials must be a whole number');
  if (!(p >= 0 && p <= 1)) throw new RangeError('a probability lies between 0 and 1');
  const successes = Math.floor(k);
  if (successes < 0) return 0;
  if (successes >= n) return 1;
  return incompleteBeta(1 - p, p, n - successes, successes + 1);
}
