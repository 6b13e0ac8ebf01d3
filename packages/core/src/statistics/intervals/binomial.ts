import { incompleteBeta } from './incomplete-beta.ts';

/**
 * P(X <= k), where X is the number of successes in `n` independent trials of probability `p` (0..1). Calculates the binomial
 * sum as the incomplete beta function I_(1-p)(n - k, k + 1), to about nine digits, in O(sqrt(n)). Returns 0 for a `k` below
 * 0 and 1 for a `k` of at least `n`. Throws RangeError if `n` is not a count or `p` not a probability.
 */
export function binomialCdf(k: number, n: number, p: number): number {
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError('the number of trials must be a whole number');
  if (!(p >= 0 && p <= 1)) throw new RangeError('a probability must be between 0 and 1');
  const successes = Math.floor(k);
  if (successes < 0) return 0;
  if (successes >= n) return 1;
  return incompleteBeta(1 - p, p, n - successes, successes + 1);
}
