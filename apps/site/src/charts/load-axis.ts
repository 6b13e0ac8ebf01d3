import { scaleLinear, scaleLog } from 'd3-scale';

/** A direction of a chart: where a value lies, and which values are written beside it. */
export interface Axis {
  at(value: number): number;
  ticks: { at: number; label: string }[];
  /** True where equal steps are equal ratios; the axis's title has to say so. */
  isLog: boolean;
  /** Smallest and largest value there is room for. */
  domain: [number, number];
}

/** One digit after the point is a tenth of a unit of the drawing, which nobody sees. */
export const round = (x: number) => Math.round(x * 10) / 10;

/** From this ratio on a linear axis would press the small values onto the ground. */
const logFrom = 20;

/** Labels of loads keep this distance, in units of the drawing. */
const labelGap = 30;

/** Loads are doubled from step to step, so they lie evenly by ratio. Every level gets a label unless they crowd. */
export function levelAxis(
  levels: readonly number[],
  [from, to]: readonly [number, number],
  label: (level: number) => string,
): Axis {
  const sorted = [...new Set(levels)].filter((level) => level > 0).toSorted((a, b) => a - b);
  const [first = 1] = sorted;
  const last = sorted.at(-1) ?? first;
  const domain: [number, number] = first === last ? [first / 2, last * 2] : [first, last];
  const scale = scaleLog().base(2).domain(domain).range([from, to]);
  const kept: number[] = [];
  for (const level of sorted) {
    const before = kept.at(-1);
    if (before === undefined || scale(level) - scale(before) >= labelGap) kept.push(level);
  }
  return {
    at: (level) => round(scale(level)),
    ticks: kept.map((level) => ({ at: round(scale(level)), label: label(level) })),
    isLog: true,
    domain,
  };
}

/** 1, 2 and 5 of each decade; fewer where there are many decades. */
function logTicks([low, high]: readonly [number, number]): number[] {
  const decades = Math.log10(high / low);
  const digits = decades > 3 ? [1] : decades > 1.9 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    // Powers of ten by multiplication are not the numbers people write.
    for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/**
 * The axis of a measured quantity. Starts at zero; values that span decades, all above zero, get a logarithmic one.
 * `from` is the end of the small values.
 */
export function valueAxis(
  values: readonly number[],
  [from, to]: readonly [number, number],
  label: (value: number) => string,
): Axis {
  const positive = values.filter((value) => value > 0);
  const [min, max] = [Math.min(...positive), Math.max(0, ...values)];
  if (positive.length > 0 && positive.length === values.length && max / min >= logFrom) {
    const domain: [number, number] = [min / 1.15, max * 1.15];
    const scale = scaleLog().domain(domain).range([from, to]).clamp(true);
    const ticks = logTicks(domain).map((tick) => ({ at: round(scale(tick)), label: label(tick) }));
    return { at: (value) => round(scale(value)), ticks, isLog: true, domain };
  }
  const scale = scaleLinear()
    .domain([0, max === 0 ? 1 : max])
    .range([from, to])
    .nice(5);
  const ticks = scale.ticks(5).map((tick) => ({ at: round(scale(tick)), label: label(tick) }));
  return { at: (value) => round(scale(value)), ticks, isLog: false, domain: [0, scale.domain()[1] ?? max] };
}
