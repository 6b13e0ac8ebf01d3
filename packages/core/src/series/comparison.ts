import type { Metric } from '../metrics/index.ts';
import type { Sample } from '../statistics/welch.ts';
import { speedupInterval } from './speed-up.ts';

/** A fact in which systems differ, with what each has: in the order of the systems, null where it states nothing. */
export interface Difference {
  field: string;
  values: (string | number | boolean | null)[];
}

type Value = Difference['values'][number];

/** Facts in which systems differ, in the order in which they are first stated. */
export function differencesOf(systems: readonly Readonly<Record<string, Value>>[]): Difference[] {
  const fields = [...new Set(systems.flatMap((facts) => Object.keys(facts)))];
  return fields
    .map((field) => ({ field, values: systems.map((facts) => facts[field] ?? null) }))
    .filter(({ values }) => new Set(values).size > 1);
}

/** One system's figure of a metric at a point. */
export interface Figure extends Sample {
  /** The formula behind it; null where the metric has one. */
  definition: string | null;
}

/** How one figure stands beside that of the baseline. */
export interface Ratio {
  /** Value over baseline, whichever way is better; null beside a 0, or where the formulas cannot be compared. */
  ratio: number | null;
  /** 95 % interval of the ratio; null where one of them was measured once, or their scatter is not known. */
  interval: [number, number] | null;
  /** Whether the interval leaves out 1; null without one. */
  significant: boolean | null;
  /** Whether the value is the better one; null where it is equal or cannot be compared. */
  better: boolean | null;
  /** Why there is no ratio, or no interval: one plain sentence. */
  reason: string | null;
}

const groupOf = ({ family }: Metric, id: string | null) =>
  family.definitions.find((definition) => definition.id === id)?.group ?? null;

const without = (reason: string): Ratio => ({ ratio: null, interval: null, significant: null, better: null, reason });

/**
 * A figure beside the baseline's: their ratio, its 95 % interval by the delta method with Welch's degrees of freedom, and
 * whether it leaves out 1. Values of formulas that cannot be compared have no ratio.
 */
export function compareFigures(metric: Metric, figure: Figure, baseline: Figure): Ratio {
  if (groupOf(metric, figure.definition) !== groupOf(metric, baseline.definition))
    return without('They were computed by formulas that cannot be compared.');
  if (!(baseline.mean > 0 && figure.mean > 0)) return without('There is no ratio beside a zero.');
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
