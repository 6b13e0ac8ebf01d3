import { scaleLinear, scaleLog } from 'd3-scale';
import { formatBrief } from '../lib/format.ts';

/** One side of a chart: where values stand, and the ticks that say so. */
export interface Axis {
  isLog: boolean;
  at(value: number): number;
  ticks: { at: number; label: string }[];
}

/** From this ratio on a linear axis would press the small values together. */
const logFrom = 20;

const round = (x: number) => Math.round(x * 10) / 10;

/** "0.5", "20", "1,000": as short as the tick allows. */
const tickLabel = (tick: number) => (formatBrief(tick, '') ?? '').replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

const isRoundTick = (tick: number) => /^[125]/.test(tick.toExponential());

/**
 * An axis for some values, at least one, along pixels from `start` to `end`. Logarithmic where positive values span a
 * factor of twenty; else linear, and from zero where that leaves the values room.
 */
export function axisOf(values: readonly number[], [start, end]: readonly [number, number], tickCount = 5): Axis {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (min > 0 && max / min >= logFrom) {
    const scale = scaleLog()
      .domain([min * 0.85, max * 1.15])
      .range([start, end]);
    const all = scale.ticks().filter(isRoundTick);
    const decades = all.filter((tick) => /^1e/.test(tick.toExponential()));
    const ticks = all.length <= 7 ? all : decades.length >= 2 ? decades : all.slice(0, 7);
    return {
      isLog: true,
      at: (value) => round(scale(value)),
      ticks: ticks.map((t) => ({ at: round(scale(t)), label: tickLabel(t) })),
    };
  }
  const low = min >= 0 && min < max * 0.6 ? 0 : min - Math.max((max - min) * 0.1, Math.abs(max) * 0.02);
  const high = max === 0 ? 1 : max + Math.abs(max - low) * 0.06;
  const scale = scaleLinear().domain([low, high]).range([start, end]).nice(tickCount);
  return {
    isLog: false,
    at: (value) => round(scale(value)),
    ticks: scale.ticks(tickCount).map((tick) => ({ at: round(scale(tick)), label: tickLabel(tick) })),
  };
}
