import { scaleLinear, scaleLog } from 'd3-scale';
import { formatBrief, formatValue } from '../lib/format.ts';

export interface Tick {
  at: number;
  label: string;
}

/** A position for every value, and what stands at the axis. */
export interface Axis {
  at(value: number): number;
  ticks: Tick[];
  isLog: boolean;
}

/** From this ratio on a linear axis would press the small values onto the ground. */
const logFrom = 20;

export const round = (x: number) => Math.round(x * 10) / 10;

function label(tick: number, unit: string): string {
  if (Number.isInteger(tick)) return formatBrief(tick, '') ?? '';
  return (formatValue(tick, unit) ?? '').replace(/0+$/, '').replace(/\.$/, '');
}

/**
 * The axis of values that are read by their distance from zero: linear from zero, or logarithmic where they span too
 * much and none is zero.
 *
 * @param range positions of the axis' two ends, in the drawing's units
 */
export function valueAxis(values: readonly number[], unit: string, range: [number, number], tickCount = 4): Axis {
  const max = Math.max(...values);
  const min = Math.min(...values);
  if (min > 0 && max / min >= logFrom) {
    const scale = scaleLog().domain([min, max]).range(range).nice();
    const decades = scale.ticks().filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
    const ticks = decades.length >= 2 ? decades : scale.ticks(4);
    return toAxis((value) => scale(value), ticks, unit, true);
  }
  const scale = scaleLinear()
    .domain([0, max > 0 ? max : 1])
    .range(range)
    .nice(tickCount);
  return toAxis((value) => scale(Math.max(0, value)), scale.ticks(tickCount), unit, false);
}

/** The axis of what was set: from the least value to the greatest, each value marked, crowded ones without a label. */
export function settingAxis(values: readonly number[], isLog: boolean, range: [number, number], gap = 34): Axis {
  const sorted = [...new Set(values)].toSorted((a, b) => a - b);
  const first = sorted[0] ?? 1;
  const last = sorted.at(-1) ?? first;
  const ends: [number, number] = first === last ? [first / 2, last * 2] : [first, last];
  const scale = isLog ? scaleLog().base(2).domain(ends).range(range) : scaleLinear().domain(ends).range(range);
  const kept: number[] = [];
  for (const value of sorted) {
    const before = kept.at(-1);
    if (before === undefined || Math.abs(scale(value) - scale(before)) >= gap) kept.push(value);
  }
  return toAxis((value) => scale(value), kept, '', isLog);
}

/** The axis of ratios: logarithmic, so that twice and half stand equally far from 1. */
export function ratioAxis(ratios: readonly number[], range: [number, number]): Axis {
  const reach = Math.max(...ratios.map((ratio) => Math.max(ratio, 1 / ratio)), 1.05);
  const low = Math.min(...ratios, 1);
  const high = Math.max(...ratios, 1);
  const pad = reach ** 0.08;
  const scale = scaleLog()
    .domain([low / pad, high * pad])
    .range(range);
  const steps = [0.05, 0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2, 3, 4, 5, 10, 20];
  const inside = steps.filter((step) => step >= low / pad && step <= high * pad);
  const kept: number[] = [1];
  for (const step of inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))) {
    if (kept.every((other) => Math.abs(scale(step) - scale(other)) >= 38)) kept.push(step);
  }
  const at = (value: number) => scale(Math.min(Math.max(value, low / pad), high * pad));
  return {
    at: (value) => round(at(value)),
    ticks: kept.toSorted((a, b) => a - b).map((step) => ({ at: round(scale(step)), label: `${step}×` })),
    isLog: true,
  };
}

function toAxis(scale: (value: number) => number, ticks: readonly number[], unit: string, isLog: boolean): Axis {
  return {
    at: (value) => round(scale(value)),
    ticks: ticks.map((tick) => ({ at: round(scale(tick)), label: label(tick, unit) })),
    isLog,
  };
}
