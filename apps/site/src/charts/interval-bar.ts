import { round } from './axis.ts';

/** A value as a bar from zero, with its 95 % interval as a whisker; all bars of a table share one scale. */
export interface IntervalBar {
  width: number;
  height: number;
  bar: number;
  whisker: { from: number; to: number } | null;
  /** True where the whisker is not measured: the tool's usual scatter stands in. */
  isAssumed: boolean;
}

const width = 120;
const height = 14;

/** The largest figure of a column, which its scale has to hold. */
export function barScaleMax(rows: readonly { value: number; ci95: readonly [number, number] | null }[]): number {
  return rows.reduce((max, { value, ci95 }) => Math.max(max, value, ci95?.[1] ?? 0), 0);
}

/** Geometry of one bar. An interval that leaves the scale below zero is cut there. */
export function intervalBar(
  value: number,
  interval: readonly [number, number] | null,
  max: number,
  isAssumed = false,
): IntervalBar {
  const x = (v: number) => (max <= 0 ? 0 : round((Math.min(Math.max(v, 0), max) / max) * (width - 2)) + 1);
  const whisker = interval === null ? null : { from: x(interval[0]), to: x(interval[1]) };
  return { width, height, bar: x(value), whisker, isAssumed };
}
