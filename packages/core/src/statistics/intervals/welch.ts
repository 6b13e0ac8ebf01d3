import { studentT, studentTailProbability } from './student-t.ts';

/** Number, mean and sample standard deviation (n - 1) of repetitions. A `Summary` is a `Sample`. */
export interface Sample {
  n: number;
  mean: number;
  sd: number | null;
}

/** Result of Welch's test for two samples, in the unit of their values. */
export interface Comparison {
  /** Mean of the first minus mean of the second. */
  difference: number;
  /** 95 % confidence interval of the difference. */
  ci95: [number, number];
  /** Difference over its standard error; null if neither sample scatters, and so is `df`. */
  t: number | null;
  /** Degrees of freedom by Welch and Satterthwaite, usually fractional. */
  df: number | null;
  /** Two-sided probability of a difference at least this large between samples of equal means. */
  p: number;
}

/**
 * Welch's t-test of two means, which does not assume equal variances (Welch 1947). If neither sample scatters, equal means
 * have p 1 and others p 0, and the interval is the difference. Null if a sample has fewer than two values, because its
 * scatter is unknown.
 */
export function welch(a: Sample, b: Sample): Comparison | null {
  if (a.sd === null || b.sd === null || a.n < 2 || b.n < 2) return null;
  const difference = a.mean - b.mean;
  const errorA = a.sd / Math.sqrt(a.n);
  const error = Math.hypot(errorA, b.sd / Math.sqrt(b.n));
  if (error === 0) {
    return { difference, ci95: [difference, difference], t: null, df: null, p: difference === 0 ? 1 : 0 };
  }
  // Uses shares of the variance instead of variances, because their squares cannot overflow.
  const shareA = (errorA / error) ** 2;
  const df = 1 / (shareA ** 2 / (a.n - 1) + (1 - shareA) ** 2 / (b.n - 1));
  const t = difference / error;
  const half = studentT(0.95, df) * error;
  return { difference, ci95: [difference - half, difference + half], t, df, p: studentTailProbability(t, df) };
}
