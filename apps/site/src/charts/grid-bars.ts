import type { PublishedSource } from '../features/system/data/published-source.ts';
import { formatTick } from '../lib/format.ts';
import { round, type Tick, valueAxis } from './axis.ts';

/** One value of a bar. */
export interface BarValue {
  value: number;
  interval: readonly [number, number] | null;
  /** "1,234.56 ms", as in the table. */
  text: string;
  /** "1,235 ms", the label of the bar. */
  short: string;
  /** "n 3, 95 % 1,200 to 1,269" */
  basis: string;
  href: string;
  /** The publication of the value; null if it was not imported. */
  source?: PublishedSource | null;
}

/** A group of bars, one for each statistic; null for a statistic without a measurement. */
export interface BarGroup {
  name: string;
  bars: readonly (BarValue | null)[];
}

/** Bar chart from zero with one group for each name. The first statistic is solid, the second hatched. */
export interface GridBars {
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  xTicks: Tick[];
  groups: {
    name: string;
    y: number;
    bars: {
      y: number;
      height: number;
      width: number;
      kind: number;
      whisker: { from: number; to: number } | null;
      text: string;
      textX: number;
      label: string;
      href: string;
    }[];
    /** Position of the text "not measured" for statistics without a value. */
    gaps: { y: number; text: string }[];
  }[];
}

const width = 400;
const left = 4;
const right = width - 8;
const top = 8;
const barHeight = 12;
const nameHeight = 18;
const gap = 9;

/**
 * Computes the geometry of one panel. All bars share a linear axis from zero.
 *
 * @param statistics names of the bars of a group: "mean", "p99"
 */
export function gridBars(
  title: string,
  unit: string,
  statistics: readonly string[],
  given: readonly BarGroup[],
): GridBars {
  const values = given.flatMap(({ bars }) =>
    bars.flatMap((bar) => (bar === null ? [] : [bar.interval?.[1] ?? 0, bar.value])),
  );
  const axis = valueAxis(values.length === 0 ? [1] : [0, ...values], [left, right - 92], formatTick, 3);
  let y = top;
  const groups = given.map(({ name, bars }) => {
    const start = y;
    y += nameHeight + statistics.length * (barHeight + 4) + gap;
    const laneOf = (kind: number) => start + nameHeight + kind * (barHeight + 4);
    return {
      name,
      y: start + 12,
      bars: bars.flatMap((bar, kind) => {
        if (bar === null) return [];
        const end = axis.at(bar.value);
        const whisker = bar.interval === null ? null : { from: axis.at(bar.interval[0]), to: axis.at(bar.interval[1]) };
        return [
          {
            y: laneOf(kind),
            height: barHeight,
            width: Math.max(1, round(end - left)),
            kind,
            whisker,
            text: bar.short,
            textX: round(Math.max(end, whisker?.to ?? 0) + 6),
            label: `${name}, ${statistics[kind]}: ${bar.text}, ${bar.basis}`,
            href: bar.href,
          },
        ];
      }),
      gaps: bars.flatMap((bar, kind) =>
        bar === null ? [{ y: laneOf(kind) + 10, text: `${statistics[kind]} not measured` }] : [],
      ),
    };
  });
  return {
    title,
    description: `${title}: ${statistics.join(' and ')} as bars from zero, in ${unit}, one group for each of ${given.map(({ name }) => name).join(', ')}. The values are in the scenario’s table.`,
    width,
    height: y + 32,
    plot: { left, right, top, bottom: y },
    xTitle: unit,
    xTicks: axis.ticks,
    groups,
  };
}
