import { studentT } from './intervals/student-t.ts';
import { percentileOfSorted, sorted } from './percentile.ts';

/** Summary of repetitions, in the unit of the values. */
export interface Summary {
  n: number;
  mean: number;
  /** Sample standard deviation (n - 1); null for one value. */
  sd: number | null;
  median: number;
  /** 95 % confidence interval of the mean, mean +- t sd / sqrt(n), from 0 up for a positive mean; null for one value. */
  ci95: [number, number] | null;
  /** Coefficient of variation sd / |mean|, as a fraction; null for one value or a mean of 0. */
  cv: number | null;
  min: number;
  max: number;
}

/** Above this value squares would overflow; scaling by a power of two loses no digit. */
const squareable = 1e150;
const downscale = 2 ** -600;

/** Mean and sum of squared deviations, calculated in two passes with correction of rounding errors. */
function moments(values: readonly number[]): { mean: number; squares: number } {
  // Uses loops for speed: a submission summarizes hundreds of thousands of figures.
  const n = values.length;
  let sum = 0;
  for (const value of values) sum += value;
  const rough = sum / n;
  let rest = 0;
  for (const value of values) rest += value - rough;
  const mean = rough + rest / n;
  let squares = 0;
  let deviations = 0;
  for (const value of values) {
    squares += (value - mean) ** 2;
    deviations += value - mean;
  }
  return { mean, squares: Math.max(0, squares - deviations ** 2 / n) };
}

/** sd / |mean|; null if either is missing or the mean is 0. */
export function coefficientOfVariation(mean: number, sd: number | null): number | null {
  return sd === null || mean === 0 ? null : sd / Math.abs(mean);
}

/**
 * 95 % confidence interval of a mean of `n` samples with standard deviation `sd`; null below two samples. No metric is
 * negative, so the interval of a positive mean ends at 0.
 */
export function confidenceInterval95(mean: number, sd: number | null, n: number): [number, number] | null {
  if (sd === null || n < 2) return null;
  const half = (studentT(0.95, n - 1) * sd) / Math.sqrt(n);
  const low = mean - half;
  return [mean > 0 ? Math.max(0, low) : low, mean + half];
}

/**
 * Summarizes repetitions; no value is dropped. Throws RangeError without values.
 *
 * @param inOrder the same values sorted, if known
 */
export function summarise(values: readonly number[], inOrder: readonly number[] = sorted(values)): Summary {
  const [first] = values;
  if (first === undefined) throw new RangeError('no values to summarise');
  const n = values.length;
  if (n === 1) return { n, mean: first, sd: null, median: first, ci95: null, cv: null, min: first, max: first };
  let [min, max] = [first, first];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  const scale = Math.max(-min, max) > squareable ? downscale : 1;
  const { mean: scaledMean, squares } = moments(scale === 1 ? values : values.map((value) => value * scale));
  const mean = Math.min(max, Math.max(min, scaledMean / scale));
  const spread = min === max ? 0 : Math.sqrt(squares / (n - 1)) / scale;
  const sd = n < 2 ? null : spread;
  return {
    n,
    mean,
    sd,
    median: percentileOfSorted(inOrder, 50),
    ci95: confidenceInterval95(mean, sd, n),
    cv: coefficientOfVariation(mean, sd),
    min,
    max,
  };
}
