import { studentT, studentTailProbability } from './student-t.ts';

/** Repetitions as their number, mean and sample standard deviation (n - 1); a `Summary` is one. */
export interface Sample {
  n: number;
  mean: number;
  sd: number | null;
}

/** What Welch's test says of two samples, in the unit of their values. */
export interface Comparison {
  /** Mean of the first less that of the second. */
  difference: number;
  /** 95 % confidence interval of the difference. */
  ci95: [number, number];
  /** Difference over its standard error; null where neither sample scatters, as is `df`. */
  t: number | null;
  /** Degrees of freedom after Welch and Satterthwaite, mostly a fraction. */
  df: number | null;
  /** Probability of a difference as large as this one between samples of equal means, on both sides. */
  p: number;
}

/**
 * Welch's t-test of two means without the assumption that they scatter alike (Welch 1947). Where neither sample
 * scatters, equal means have p 1 and others p 0, and the interval is the difference itself. Null where a sample has fewer
 * than two values: its scatter is unknown.
 */
export function welch(a: Sample, b: Sample): Comparison | null {
  if (a.sd === null || b.sd === null || a.n < 2 || b.n < 2) return null;
  const difference = a.mean - b.mean;
  const errorA = a.sd / Math.sqrt(a.n);
  const error = Math.hypot(errorA, b.sd / Math.sqrt(b.n));
  if (error === 0) {
    return { difference, ci95: [difference, difference], t: null, df: null, p: difference === 0 ? 1 : 0 };
  }
  // Shares of the variance instead of the variances: their squares cannot overflow.
  const shareA = (errorA / error) ** 2;
  const df = 1 / (shareA ** 2 / (a.n - 1) + (1 - shareA) ** 2 / (b.n - 1));
  const t = difference / error;
  const half = studentT(0.95, df) * error;
  return { difference, ci95: [difference - half, difference + half], t, df, p: studentTailProbability(t, df) };
}
