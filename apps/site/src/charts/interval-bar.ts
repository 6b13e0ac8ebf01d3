import { round } from './axis.ts';

/** A value as a bar from zero with its 95 % interval as a whisker. All bars of a table share one scale. */
export interface IntervalBar {
  width: number;
  height: number;
  bar: number;
  whisker: { from: number; to: number } | null;
  /** True if the interval is not measured but assumed from the tool's usual scatter. */
  isAssumed: boolean;
}

const width = 120;
const height = 14;

/** The maximum value of a column's scale. */
export function barScaleMax(rows: readonly { value: number; ci95: readonly [number, number] | null }[]): number {
  const ends = rows.flatMap(({ value, ci95 }) => [value, ci95?.[1] ?? 0]);
  // An interval without an upper end extends to the edge.
  return ends.filter(Number.isFinite).reduce((max, end) => Math.max(max, end), 0);
}

/** Geometry of one bar. Intervals are clipped to the scale; a value that is not a number is not drawn. */
export function intervalBar(
  value: number,
  interval: readonly [number, number] | null,
  max: number,
  isAssumed = false,
): IntervalBar {
  const x = (v: number) =>
    max <= 0 || Number.isNaN(v) ? 0 : round((Math.min(Math.max(v, 0), max) / max) * (width - 2)) + 1;
  const whisker =
    interval === null || interval.some(Number.isNaN) ? null : { from: x(interval[0]), to: x(interval[1]) };
  return { width, height, bar: x(value), whisker, isAssumed };
}
