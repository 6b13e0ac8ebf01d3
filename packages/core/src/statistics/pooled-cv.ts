import { studentT } from './student-t.ts';

/** Repetitions of one point as their number and coefficient of variation, a fraction. */
export interface Scatter {
  n: number;
  cv: number | null;
}

/** How much repetitions of like measurements scatter, from all groups of them together. */
export interface PooledCv {
  /** As a fraction of the value. */
  cv: number;
  /** Degrees of freedom it rests on: the sum of n - 1. */
  df: number;
  /** Groups with at least two repetitions and a mean other than 0. */
  groups: number;
}

/** Several pooled coefficients of variation as one: sqrt(sum of df cv^2 / sum of df); null for none. */
export function mergePooledCv(parts: readonly PooledCv[]): PooledCv | null {
  const sum = (of: (part: PooledCv) => number) => parts.reduce((total, part) => total + of(part), 0);
  const df = sum((part) => part.df);
  if (df === 0) return null;
  return { cv: Math.sqrt(sum((part) => part.df * part.cv ** 2) / df), df, groups: sum((part) => part.groups) };
}

/** sqrt(sum of (n - 1) cv^2 / sum of (n - 1)) over groups of repetitions; null where none was repeated. */
export function pooledCv(groups: readonly Scatter[]): PooledCv | null {
  return mergePooledCv(groups.flatMap(({ n, cv }) => (n < 2 || cv === null ? [] : [{ cv, df: n - 1, groups: 1 }])));
}

/**
 * Ends of the 95 % interval of a single measurement as multiples of its value, on the assumption that it scatters like
 * the pooled ones: 1 +- t cv with Student's t of the pooled df. The normal 1.96 would take the cv for known; one that
 * rests on two runs is hardly known, and t (12.7 then) says so. Never below 0, as no figure is.
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
