import type { LoadMode } from '@inferboard/core/load';
import type { Metric } from '@inferboard/core/metrics/index';
import { scaleLinear, scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { formatBrief, formatSd, formatValue } from '../lib/format.ts';
import { type SeriesMark, seriesMark } from './palette.ts';

/** One measured load of one workload. */
export interface LoadValue {
  level: number;
  value: number;
  sd: number | null;
  n: number | null;
}

export interface LoadSeries {
  name: string;
  values: LoadValue[];
}

export interface LoadSeriesChart {
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: { at: number; label: string }[];
  yTicks: { at: number; label: string }[];
  series: {
    name: string;
    mark: SeriesMark;
    path: string;
    points: { x: number; y: number; error: { from: number; to: number } | null; label: string }[];
  }[];
  /** The same figures for a table: levels as rows, series as columns. */
  table: { level: string; cells: ({ value: string; sd: string | null; n: string } | null)[] }[];
}

const width = 440;
const height = 300;
const plot = { left: 58, right: width - 14, top: 34, bottom: height - 48 };

/** From this ratio on a linear axis would press the small values onto the ground. */
const logFrom = 20;

const levelTitles: Record<LoadMode, string> = {
  concurrency: 'Requests in flight',
  burst: 'Requests sent at once',
  rate: 'Requests per second',
  batch: 'Sequences in the batch',
};

const round = (x: number) => Math.round(x * 10) / 10;

/** Labels a reader can tell apart: of crowded levels every other one is left out. */
function thin(levels: readonly number[], at: (level: number) => number): number[] {
  const kept: number[] = [];
  for (const level of levels) {
    const last = kept.at(-1);
    if (last === undefined || at(level) - at(last) >= 28) kept.push(level);
  }
  return kept;
}

function valueScale(values: readonly LoadValue[]) {
  const positive = values.map(({ value }) => value).filter((value) => value > 0);
  const min = Math.min(...positive);
  const max = Math.max(...values.map(({ value, sd }) => value + (sd ?? 0)));
  const range: [number, number] = [plot.bottom, plot.top];
  if (positive.length === values.length && max / min >= logFrom) {
    const scale = scaleLog().domain([min, max]).range(range).nice();
    const decades = scale.ticks().filter((tick) => Math.log10(tick) % 1 === 0);
    const ticks = decades.length >= 2 ? decades : scale.ticks(4);
    return { scale, ticks, isLog: true };
  }
  const scale = scaleLinear().domain([0, max]).range(range).nice(5);
  return { scale, ticks: scale.ticks(5), isLog: false };
}

function tickLabel(tick: number, unit: string): string {
  return Number.isInteger(tick) ? (formatBrief(tick, '') ?? '') : (formatValue(tick, unit) ?? '').replace(/\.?0+$/, '');
}

/** Geometry of one metric over the load, one line a workload. Needs values. */
export function loadSeriesChart(metric: Metric, mode: LoadMode, given: readonly LoadSeries[]): LoadSeriesChart {
  const { unit } = metric.family;
  const all = given.flatMap((series) => series.values);
  const levels = [...new Set(all.map(({ level }) => level))].toSorted((a, b) => a - b);
  const [first = 1] = levels;
  const last = levels.at(-1) ?? first;
  const x = scaleLog()
    .base(2)
    .domain(first === last ? [first / 2, last * 2] : [first, last])
    .range([plot.left + 10, plot.right - 10]);
  const { scale: y, ticks, isLog } = valueScale(all);
  const draw = line<{ x: number; y: number }>(
    (point) => point.x,
    (point) => point.y,
  );
  const series = given.map(({ name, values }, index) => {
    const points = values.map(({ level, value, sd, n }) => {
      const low = isLog ? Math.max(value - (sd ?? 0), y.domain()[0] ?? 0) : value - (sd ?? 0);
      const error = sd === null || sd === 0 ? null : { from: round(y(low)), to: round(y(value + sd)) };
      const scatter = formatSd(value, unit, sd);
      const label = `${name}, ${level}: ${formatValue(value, unit, sd)}${scatter === null ? '' : ` ${scatter}`} ${unit}, ${n === null ? 'n not stated' : `n ${n}`}`;
      return { x: round(x(level)), y: round(y(value)), error, label };
    });
    return { name, mark: seriesMark(index), path: draw(points) ?? '', points };
  });
  const from = `${levelTitles[mode].toLowerCase()} from ${first} to ${last}`;
  return {
    title: `${metric.title} by load`,
    description: `${metric.title} in ${unit || 'counts'} over ${from}; one line for each of ${given.map(({ name }) => name).join(', ')}. The figures stand in the table below the chart.`,
    width,
    height,
    plot,
    xTitle: `${levelTitles[mode]} (log scale)`,
    yTitle: `${metric.title}${unit === '' ? '' : `, ${unit}`}${isLog ? ' (log scale)' : ''}`,
    xTicks: thin(levels, x).map((level) => ({ at: round(x(level)), label: formatBrief(level, '') ?? '' })),
    yTicks: ticks.map((tick) => ({ at: round(y(tick)), label: tickLabel(tick, unit) })),
    series,
    table: levels.map((level) => ({
      level: formatBrief(level, '') ?? '',
      cells: given.map(({ values }) => {
        const found = values.find((value) => value.level === level);
        if (found === undefined) return null;
        return {
          value: formatValue(found.value, unit, found.sd) ?? '',
          sd: formatSd(found.value, unit, found.sd),
          n: found.n === null ? 'n not stated' : `n ${found.n}`,
        };
      }),
    })),
  };
}
