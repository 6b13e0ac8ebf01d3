import { incompleteBeta } from './incomplete-beta.ts';

/** Above this many degrees of freedom, the normal distribution is exact to double precision. */
const dfMax = 1e6;

/** Probability that a t-distributed variable with `df` degrees of freedom is further from 0 than `t`. */
export function studentTailProbability(t: number, df: number): number {
  if (!(df > 0)) throw new RangeError('degrees of freedom must be above 0');
  const nu = Math.min(df, dfMax);
  const square = t * t;
  if (square === Number.POSITIVE_INFINITY) return 0;
  return incompleteBeta(nu / (nu + square), square / (nu + square), nu / 2, 0.5);
}

function findQuantile(confidence: number, df: number): number {
  const tail = 1 - confidence;
  // Bisection of the logarithm, because t spans many orders of magnitude for a small df.
  let low = -60;
  let high = 300;
  for (let step = 0; step < 64; step++) {
    const middle = (low + high) / 2;
    if (studentTailProbability(Math.exp(middle), df) > tail) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/** Cache of quantiles. Repetitions are small integers, and all points use the same ones. */
const known = new Map<string, number>();
const knownMax = 1000;

/**
 * Two-sided quantile of Student's t with `df` degrees of freedom: the t for which a share `confidence` (0..1, such as 0.95)
 * is between -t and t. `df` may be fractional (Welch). It is the inverse of the tail probability I_(df / (df + t^2))(df / 2,
 * 1 / 2), found by bisection. Values for integer `df` are cached.
 */
export function studentT(confidence: number, df: number): number {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError('confidence must be between 0 and 1');
  if (!Number.isInteger(df)) return findQuantile(confidence, df);
  const key = `${confidence} ${df}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = findQuantile(confidence, df);
  if (known.size >= knownMax) known.clear();
  known.set(key, found);
  return found;
}
