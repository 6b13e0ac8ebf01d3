import { line } from 'd3-shape';
import { formatTick } from '../lib/format.ts';
import { type Axis, levelAxis, stepAxis, type Tick, valueAxis } from './axis.ts';
import { type SeriesMark, seriesMark } from './palette.ts';

/** One measured value of a series. */
export interface OverlayPoint {
  x: number;
  value: number;
  /** Ends of the error bar, in the value's unit; null if the scatter is unknown. */
  low: number | null;
  high: number | null;
  /** "16,634.04 ± 97.98 tok/s", as in the table. */
  text: string;
  /** "n 3", "n not stated". */
  n: string;
  /** Link to the results of the value. */
  href: string;
}

export interface OverlaySeries {
  name: string;
  points: readonly OverlayPoint[];
}

export interface OverlayInput {
  title: string;
  /** Title of the horizontal axis: "Power limit, W". */
  xTitle: string;
  isLogX: boolean;
  yTitle: string;
  unit: string;
  /** Meaning of the error bars: "95 % interval". */
  errorText: string;
  series: readonly OverlaySeries[];
}

export interface OverlayMark {
  x: number;
  y: number;
  error: { from: number; to: number } | null;
  /** Position of the label next to the mark, and its side. */
  tip: { x: number; y: number; anchor: 'start' | 'end'; text: string };
  label: string;
  href: string;
}

/** Geometry of several series over one setting, with the same values as a table. */
export interface OverlayChart {
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: Tick[];
  yTicks: Tick[];
  series: { name: string; mark: SeriesMark; path: string; marks: OverlayMark[] }[];
  table: { x: string; cells: ({ text: string; n: string; href: string } | null)[] }[];
}

const width = 440;
const height = 290;
const plot = { left: 56, right: width - 14, top: 32, bottom: height - 46 };

const logText = ({ isLog }: Axis) => (isLog ? ' (log scale)' : '');

function toMark(point: OverlayPoint, name: string, x: Axis, y: Axis): OverlayMark {
  const at = { x: x.at(point.x), y: y.at(point.value) };
  const isRight = at.x > (plot.left + plot.right) / 2;
  const low =
    point.low === null
      ? null
      : Math.min(y.at(y.isLog ? Math.max(point.low, point.value / 1e3) : point.low), plot.bottom);
  return {
    ...at,
    error: low === null || point.high === null ? null : { from: low, to: Math.max(plot.top - 8, y.at(point.high)) },
    tip: {
      x: at.x + (isRight ? -9 : 9),
      y: Math.max(plot.top + 2, at.y - 9),
      anchor: isRight ? 'end' : 'start',
      text: point.text,
    },
    label: `${name}, ${point.x}: ${point.text}, ${point.n}`,
    href: point.href,
  };
}

/** Geometry of the chart. Needs at least one value. The index of a series selects its colour, shape and dash. */
export function overlayChart(input: OverlayInput): OverlayChart {
  const all = input.series.flatMap(({ points }) => points);
  const placeSettings = input.isLogX ? levelAxis : stepAxis;
  const x = placeSettings(
    all.map((point) => point.x),
    [plot.left + 12, plot.right - 12],
    formatTick,
  );
  const y = valueAxis(
    all.flatMap(({ value, high }) => (high === null ? [value] : [value, high])),
    [plot.bottom, plot.top],
    formatTick,
  );
  const draw = line<OverlayMark>(
    (mark) => mark.x,
    (mark) => mark.y,
  );
  const settings = [...new Set(all.map((point) => point.x))].toSorted((a, b) => a - b);
  return {
    title: input.title,
    description: `${input.yTitle} over ${input.xTitle}, from ${settings[0]} to ${settings.at(-1)}; one line for each of ${input.series.map(({ name }) => name).join(', ')}. Error bars: ${input.errorText}. The values are in the table below the chart.`,
    width,
    height,
    plot,
    xTitle: input.xTitle + logText(x),
    yTitle: input.yTitle + logText(y),
    xTicks: x.ticks,
    yTicks: y.ticks,
    series: input.series.map(({ name, points }, at) => {
      const marks = points.toSorted((a, b) => a.x - b.x).map((point) => toMark(point, name, x, y));
      return { name, mark: seriesMark(at), path: draw(marks) ?? '', marks };
    }),
    table: settings.map((setting) => ({
      x: String(setting),
      cells: input.series.map(({ points }) => {
        const found = points.find((point) => point.x === setting);
        return found === undefined ? null : { text: found.text, n: found.n, href: found.href };
      }),
    })),
  };
}
