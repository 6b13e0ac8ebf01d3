import { observedGroups } from '@inferboard/core/observed/engine-state';
import { type Axis, valueAxis } from '../../charts/axis.ts';
import { type SeriesMark, seriesMark } from '../../charts/palette.ts';
import type { Run } from '../../lib/api.ts';
import { formatCount, formatFigure, formatTick } from '../../lib/format.ts';

type RunTimeline = NonNullable<Run['timeline']>;
type Series = RunTimeline['series'][number];

/** A chart of quantities over the time of a run. */
export interface TimelineChart {
  title: string;
  /** All that is drawn, in one sentence. */
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: Axis['ticks'];
  yTicks: Axis['ticks'];
  series: { name: string; mark: SeriesMark; path: string }[];
}

/** A row of the table below the charts. */
export interface TimelineRow {
  quantity: string;
  lowest: string;
  highest: string;
  n: string;
}

interface Group {
  title: string;
  unit: string;
  factor?: number;
  /** What `n` counts. */
  samples: string;
  names: Readonly<Record<string, string>>;
}

const groups: readonly Group[] = [
  { title: 'Output', unit: 'tok/s', samples: 'requests', names: { output_tok_s: 'output' } },
  { title: 'TTFT, mean by when requests were sent', unit: 'ms', samples: 'requests', names: { ttft_ms: 'TTFT' } },
  ...observedGroups.map((group) => ({ ...group, samples: 'readings' })),
];

const width = 480;
const height = 200;
const plot = { left: 56, right: width - 12, top: 34, bottom: height - 50 };
/** Values that are further apart are not connected: nothing was measured between them. */
const gapMax = 4;

/** A line through the values that exist; a dot for one without neighbours. */
function pathOf(values: Series['values'], x: (place: number) => number, y: Axis): string {
  let path = '';
  let before = Number.NEGATIVE_INFINITY;
  values.forEach((value, place) => {
    if (value === null) return;
    const at = `${x(place)} ${y.at(value)}`;
    path += place - before > gapMax ? `M${at}h0` : `L${at}`;
    before = place;
  });
  return path;
}

const textOf = (value: number, unit: string) => {
  const figure = formatFigure(Number(value.toPrecision(4)), unit);
  return figure === null ? '' : `${figure.number} ${figure.unit}`.trimEnd();
};

/** The charts of a run over time, with one time axis, and a table of their extremes. */
export function timelineCharts({ bin_s: binS, series }: RunTimeline): { charts: TimelineChart[]; rows: TimelineRow[] } {
  const bins = Math.max(1, ...series.map(({ values }) => values.length));
  const x = valueAxis([0, bins * binS], [plot.left, plot.right], formatTick, 6);
  const middleOf = (place: number) => x.at((place + 0.5) * binS);
  const drawn = groups.flatMap(({ title, unit, factor = 1, samples, names }) => {
    const found = Object.entries(names).flatMap(([name, shown]) => {
      const one = series.find((candidate) => candidate.name === name);
      if (one === undefined || one.n === 0) return [];
      return [{ shown, n: one.n, values: one.values.map((value) => (value === null ? null : value * factor)) }];
    });
    if (found.length === 0) return [];
    const present = found.map(({ values }) => values.filter((value) => value !== null));
    const y = valueAxis([0, ...present.flat()], [plot.bottom, plot.top], formatTick, 3);
    const rows = found.map(({ shown, n }, index) => ({
      quantity: found.length === 1 ? title : `${title}: ${shown}`,
      lowest: textOf(Math.min(...(present[index] ?? [])), unit),
      highest: textOf(Math.max(...(present[index] ?? [])), unit),
      n: `${formatCount(n)} ${samples}`,
    }));
    const chart: TimelineChart = {
      ...{ title, width, height, plot },
      description: `${rows.map(({ quantity, lowest, highest }) => `${quantity} from ${lowest} to ${highest}`).join('; ')}, over ${formatTick(bins * binS)} seconds.`,
      xTitle: 'Seconds since the first point began',
      yTitle: unit === '' ? 'Number' : unit,
      xTicks: x.ticks,
      yTicks: y.ticks,
      series: found.map(({ shown, values }, index) => ({
        name: shown,
        mark: seriesMark(index),
        path: pathOf(values, middleOf, y),
      })),
    };
    return [{ chart, rows }];
  });
  return { charts: drawn.map(({ chart }) => chart), rows: drawn.flatMap(({ rows }) => rows) };
}
