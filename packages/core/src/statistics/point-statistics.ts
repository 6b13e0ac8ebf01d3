import { findOutliers, type Outlier } from './outliers.ts';
import { sorted } from './percentile.ts';
import { type Stability, stabilityOf } from './stability.ts';
import { coefficientOfVariation, confidenceInterval95, summarise } from './summary.ts';

/** One result's value of one metric, with the tool's data about averaged repetitions. */
export interface PointSample {
  value: number;
  /** null: one measurement. `n` repetitions, their `sd` (n - 1), and individual `samples`; each null if not stated. */
  repeats: { n: number | null; sd: number | null; samples: number[] | null } | null;
}

/**
 * The source of the figures:
 *
 * - `results`: each result is one value
 * - `samples`: at least some results list individual repetitions
 * - `pooled`: means and standard deviations of repetitions were pooled
 * - `tool_summary`: one result with a summary whose number of repetitions is unknown
 */
export type Basis = 'results' | 'samples' | 'pooled' | 'tool_summary';

/** Statistics of one metric over a point's results, in the metric's unit. Null if the basis does not determine it. */
export interface PointStatistics {
  n: number | null;
  results: number;
  mean: number;
  sd: number | null;
  median: number | null;
  ci95: [number, number] | null;
  cv: number | null;
  stability: Stability | null;
  min: number | null;
  max: number | null;
  /** `index` counts the repetitions in the order of the results. With basis `results` it is the index of the result. */
  outliers: Outlier[];
  basis: Basis;
}

/** A result as a number of repetitions with a mean and a standard deviation. */
interface Group {
  n: number;
  mean: number;
  sd: number;
}

function statedSamples({ repeats }: PointSample): readonly number[] | null {
  const samples = repeats?.samples;
  return samples === undefined || samples === null || samples.length === 0 ? null : samples;
}

/** The values of a result; null if it is a summary without individual values. */
function valuesOf(sample: PointSample): readonly number[] | null {
  const samples = statedSamples(sample);
  if (samples !== null) return samples;
  return sample.repeats === null || sample.repeats.n === 1 ? [sample.value] : null;
}

function toGroup(sample: PointSample): Group | null {
  const values = valuesOf(sample);
  if (values !== null) {
    const { n, mean, sd } = summarise(values);
    return { n, mean, sd: sd ?? 0 };
  }
  const { n, sd } = sample.repeats ?? { n: null, sd: null };
  return n === null || n < 1 || sd === null ? null : { n, mean: sample.value, sd };
}

/**
 * Statistics of individual values, each a result or, with basis `samples`, one of its repetitions. Throws RangeError without
 * values.
 *
 * @param inOrder the same values sorted, if known
 */
export function valueStatistics(
  values: readonly number[],
  results = values.length,
  basis: Basis = 'results',
  inOrder: readonly number[] = sorted(values),
): PointStatistics {
  const summary = summarise(values, inOrder);
  const { n, mean, sd, median, ci95, cv, min, max } = summary;
  const outliers = findOutliers(values, summary, inOrder);
  return { n, mean, sd, median, ci95, cv, min, max, results, stability: stabilityOf(cv), outliers, basis };
}

/** Statistics from a mean and a standard deviation, if individual values are unknown. */
function ofMoments(facts: {
  n: number | null;
  results: number;
  mean: number;
  sd: number | null;
  basis: Basis;
}): PointStatistics {
  const { n, mean, sd } = facts;
  const cv = coefficientOfVariation(mean, sd);
  const ci95 = n === null ? null : confidenceInterval95(mean, sd, n);
  return { ...facts, median: null, ci95, cv, stability: stabilityOf(cv), min: null, max: null, outliers: [] };
}

/** Pools means weighted by n. The sum of squares is the sum within the groups plus the sum between their means. */
function pool(groups: readonly Group[]): PointStatistics {
  const n = groups.reduce((total, group) => total + group.n, 0);
  const mean = groups.reduce((total, group) => total + (group.n / n) * group.mean, 0);
  const squares = groups.reduce(
    (total, group) => total + (group.n - 1) * group.sd ** 2 + group.n * (group.mean - mean) ** 2,
    0,
  );
  const sd = n > 1 ? Math.sqrt(squares / (n - 1)) : null;
  return ofMoments({ n, results: groups.length, mean, sd, basis: 'pooled' });
}

const isKnown = <T>(value: T | null): value is T => value !== null;

/**
 * Calculates statistics of one metric over the results of a point. Individual values are summarized; summaries with n and sd
 * are pooled. A single summary without n keeps its mean and sd and gets no interval. Among several results, such a summary
 * counts as one value. Throws RangeError without results.
 */
export function pointStatistics(samples: readonly PointSample[]): PointStatistics {
  const [first] = samples;
  if (first === undefined) throw new RangeError('a point without results has no statistics');
  const results = samples.length;
  const values = samples.map(valuesOf);
  if (values.every(isKnown)) {
    const basis = samples.some((sample) => statedSamples(sample) !== null) ? 'samples' : 'results';
    return valueStatistics(values.flat(), results, basis);
  }
  const groups = samples.map(toGroup);
  if (groups.every(isKnown)) return pool(groups);
  if (results > 1) return valueStatistics(samples.map((sample) => sample.value));
  const { n, sd } = first.repeats ?? { n: null, sd: null };
  return ofMoments({ n, results, mean: first.value, sd, basis: 'tool_summary' });
}
