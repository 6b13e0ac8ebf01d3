import type { Metric } from '../metrics/index.ts';
import type { Sample } from '../statistics/intervals/welch.ts';
import { speedupInterval } from './speed-up.ts';

/** A fact in which systems differ, with each system's value in the order of the systems; null if not stated. */
export interface Difference {
  field: string;
  values: (string | number | boolean | null)[];
}

type Value = Difference['values'][number];

/** Facts in which systems differ, in the order of their first occurrence. */
export function differencesOf(systems: readonly Readonly<Record<string, Value>>[]): Difference[] {
  const fields = [...new Set(systems.flatMap((facts) => Object.keys(facts)))];
  return fields
    .map((field) => ({ field, values: systems.map((facts) => facts[field] ?? null) }))
    .filter(({ values }) => new Set(values).size > 1);
}

/** One system's figure of a metric at a point. */
export interface Figure extends Sample {
  /** The formula; null if the metric has only one. */
  definition: string | null;
}

/** Comparison of one figure with the baseline's. */
export interface Ratio {
  /** Value over baseline, independent of direction; null with a 0, or if the formulas are not comparable. */
  ratio: number | null;
  /** 95 % interval of the ratio; null if one figure has a single measurement or unknown scatter. */
  interval: [number, number] | null;
  /** True if the interval excludes 1; null without one. */
  significant: boolean | null;
  /** True if the value is better; null if it is equal or not comparable. */
  better: boolean | null;
  /** Why there is no ratio or no interval, in one plain sentence. */
  reason: string | null;
}

const groupOf = ({ family }: Metric, id: string | null) =>
  family.definitions.find((definition) => definition.id === id)?.group ?? null;

const without = (reason: string): Ratio => ({ ratio: null, interval: null, significant: null, better: null, reason });

/**
 * Compares a figure with the baseline's. Returns their ratio, its 95 % interval by the delta method with Welch's degrees of
 * freedom, and whether it excludes 1. Values of incomparable formulas have no ratio.
 */
export function compareFigures(metric: Metric, figure: Figure, baseline: Figure): Ratio {
  if (groupOf(metric, figure.definition) !== groupOf(metric, baseline.definition))
    return without('They have formulas that cannot be compared.');
  if (!(baseline.mean > 0 && figure.mean > 0)) return without('There is no ratio to zero.');
  const ratio = figure.mean / baseline.mean;
  const interval = speedupInterval(figure, baseline, 'higher');
  const { direction } = metric.family;
  const isHigher = ratio === 1 ? null : ratio > 1;
  return {
    ratio,
    interval,
    significant: interval === null ? null : interval[0] > 1 || interval[1] < 1,
    better: direction === 'neutral' || isHigher === null ? null : isHigher === (direction === 'higher'),
    reason: interval === null ? 'No interval: n is 1 or not stated.' : null,
  };
}
