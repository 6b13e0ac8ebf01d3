import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale';

export interface Tick {
  at: number;
  label: string;
}

/** An axis of a chart: maps values to positions and has the labelled ticks. */
export interface Axis {
  /** Position in units of the drawing. Values outside the domain are clamped, except on the axis of a part. */
  at(value: number): number;
  ticks: Tick[];
  /** True for a logarithmic axis; its title must state this. */
  isLog: boolean;
  /** Minimum and maximum of the domain. */
  domain: [number, number];
}

type Label = (value: number) => string;

/** Maps one or more values to the range between two positions, the position of the minimum first, and chooses the ticks. */
export type MakeAxis = (values: readonly number[], range: readonly [number, number], label: Label) => Axis;

/** One decimal is a tenth of a unit of the drawing, which is not visible. */
export const round = (x: number) => Math.round(x * 10) / 10;

/** From this ratio of maximum to minimum, a linear axis would compress the small values. */
const logFrom = 20;

/** Minimum distance between labels of settings, in units of the drawing. */
const labelGap = 30;

function toAxis(
  scale: ScaleContinuousNumeric<number, number>,
  ticks: readonly number[],
  label: Label,
  { isLog = false, isClamped = true } = {},
): Axis {
  const placed = scale.copy().clamp(isClamped);
  const [low = 0, high = low] = scale.domain();
  return {
    at: (value) => round(placed(value)),
    ticks: ticks.map((tick) => ({ at: round(placed(tick)), label: label(tick) })),
    isLog,
    domain: [low, high],
  };
}

function linearAxis(domain: [number, number], range: readonly [number, number], label: Label, tickCount = 5): Axis {
  const scale = scaleLinear().domain(domain).range(range).nice(tickCount);
  return toAxis(scale, scale.ticks(tickCount), label);
}

/** 1, 2 and 5 of each decade; fewer steps for many decades. */
function logTicks([low, high]: readonly [number, number]): number[] {
  const decades = Math.log10(high / low);
  const digits = decades > 3 ? [1] : decades > 1.9 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    // Powers of ten by multiplication have rounding errors.
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

function logAxisOf(domain: [number, number], range: readonly [number, number], label: Label, isClamped = true): Axis {
  const scale = scaleLog().domain(domain).range(range);
  // A small part of a decade contains no power of ten.
  const ticks = logTicks(domain).length >= 2 ? logTicks(domain) : scale.ticks(5);
  return toAxis(scale, ticks, label, { isLog: true, isClamped });
}

/** A logarithmic axis; null if a value is not positive or if a linear axis suffices. */
function logAxis(values: readonly number[], range: readonly [number, number], label: Label): Axis | null {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (!(min > 0) || max / min < logFrom) return null;
  return logAxisOf([min / 1.15, max * 1.15], range, label);
}

/** The axis of a measured quantity: linear from zero, or logarithmic if positive values span decades. */
export function valueAxis(
  values: readonly number[],
  range: readonly [number, number],
  label: Label,
  tickCount = 5,
): Axis {
  const max = Math.max(0, ...values);
  return logAxis(values, range, label) ?? linearAxis([0, max === 0 ? 1 : max], range, label, tickCount);
}

/** The axis of a scatter chart: starts at zero only if the points still have enough room. */
export const spreadAxis: MakeAxis = (values, range, label) => {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const low = min >= 0 && min < max * 0.6 ? 0 : min - Math.max((max - min) * 0.1, Math.abs(max) * 0.02);
  const high = max === 0 ? 1 : max + Math.abs(max - low) * 0.06;
  return logAxis(values, range, label) ?? linearAxis([low, high], range, label);
};

/**
 * The axis of a scatter chart with the selected scale: linear, logarithmic if a value is positive, or automatic. It covers all
 * values or the given range.
 */
export function chosenAxis(
  values: readonly number[],
  range: readonly [number, number],
  label: Label,
  { scale, part }: { scale: 'auto' | 'linear' | 'log'; part: readonly [number, number] | null },
): Axis {
  const usual = spreadAxis(values, range, label);
  const isLog = scale === 'log' || (scale === 'auto' && usual.isLog);
  const positive = values.filter((value) => value > 0);
  if (part !== null) {
    if (isLog && part[0] > 0) return logAxisOf([...part], range, label, false);
    const linear = scaleLinear().domain(part).range(range);
    return toAxis(linear, linear.ticks(5), label, { isClamped: false });
  }
  if (scale === 'auto') return usual;
  if (isLog && positive.length > 0)
    return logAxisOf([Math.min(...positive) / 1.15, Math.max(...positive) * 1.15], range, label);
  const max = Math.max(0, ...values);
  return linearAxis([Math.min(0, ...values), max === 0 ? 1 : max], range, label);
}

/** From the lowest to the highest setting. Each setting has a tick, and a label if there is room. */
const settings =
  (isLog: boolean): MakeAxis =>
  (values, range, label) => {
    const sorted = [...new Set(values)].filter((value) => !isLog || value > 0).toSorted((a, b) => a - b);
    const first = sorted[0] ?? 1;
    const last = sorted.at(-1) ?? first;
    const domain: [number, number] = first === last ? [first / 2, last * 2] : [first, last];
    const scale = (isLog ? scaleLog().base(2) : scaleLinear()).domain(domain).range(range);
    const kept: number[] = [];
    for (const value of sorted) {
      const before = kept.at(-1);
      if (before === undefined || Math.abs(scale(value) - scale(before)) >= labelGap) kept.push(value);
    }
    return toAxis(scale, kept, label, { isLog });
  };

/** Loads usually double from step to step, so the axis is logarithmic. It cannot show a load of 0. */
export const levelAxis = settings(true);

/** An axis for settings with linear steps, such as watts. */
export const stepAxis = settings(false);

const ratioSteps = [0.05, 0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 2, 3, 4, 5, 10, 20];

/** The axis of ratios: logarithmic, so that 2 and 0.5 have the same distance from 1. */
export function ratioAxis(ratios: readonly number[], range: readonly [number, number]): Axis {
  const reach = Math.max(...ratios.map((ratio) => Math.max(ratio, 1 / ratio)), 1.05);
  const pad = reach ** 0.08;
  const [low, high] = [Math.min(...ratios, 1) / pad, Math.max(...ratios, 1) * pad];
  const scale = scaleLog().domain([low, high]).range(range);
  const inside = ratioSteps.filter((step) => step >= low && step <= high);
  const kept: number[] = [1];
  for (const step of inside.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))) {
    if (kept.every((other) => Math.abs(scale(step) - scale(other)) >= 38)) kept.push(step);
  }
  return toAxis(
    scale,
    kept.toSorted((a, b) => a - b),
    (step) => `${step}×`,
    { isLog: true },
  );
}
