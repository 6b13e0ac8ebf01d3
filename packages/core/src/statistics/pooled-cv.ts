import { studentT } from './intervals/student-t.ts';

/** Number of repetitions of one point, and their coefficient of variation as a fraction. */
export interface Scatter {
  n: number;
  cv: number | null;
}

/** Pooled scatter of repetitions of similar measurements, over all groups. */
export interface PooledCv {
  /** As a fraction of the value. */
  cv: number;
  /** Degrees of freedom: the sum of n - 1. */
  df: number;
  /** Groups with at least two repetitions and a mean other than 0. */
  groups: number;
}

/** Merges pooled coefficients of variation: sqrt(sum of df cv^2 / sum of df); null without parts. */
export function mergePooledCv(parts: readonly PooledCv[]): PooledCv | null {
  const sum = (of: (part: PooledCv) => number) => parts.reduce((total, part) => total + of(part), 0);
  const df = sum((part) => part.df);
  if (df === 0) return null;
  return { cv: Math.sqrt(sum((part) => part.df * part.cv ** 2) / df), df, groups: sum((part) => part.groups) };
}

/** sqrt(sum of (n - 1) cv^2 / sum of (n - 1)) over groups of repetitions; null if none was repeated. */
export function pooledCv(groups: readonly Scatter[]): PooledCv | null {
  return mergePooledCv(groups.flatMap(({ n, cv }) => (n < 2 || cv === null ? [] : [{ cv, df: n - 1, groups: 1 }])));
}

/**
 * Ends of the 95 % interval of a single measurement as multiples of its value: 1 +- t cv with Student's t of the pooled df.
 * Assumes that the measurement scatters like the pooled ones. The normal 1.96 would assume that the cv is known exactly. A
 * cv from two runs is very uncertain, which t (12.7 then) includes. Never below 0, because no figure is.
 */
export function assumedFactors({ cv, df }: PooledCv): [number, number] {
  const half = studentT(0.95, df) * cv;
  return [Math.max(0, 1 - half), 1 + half];
}

/** The assumed 95 % interval of a single measurement `value` (>= 0), in its unit. */
export function assumedInterval(value: number, pooled: PooledCv): [number, number] {
  const [low, high] = assumedFactors(pooled);
  return [value * low, value * high];
}
