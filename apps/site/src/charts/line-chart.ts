import { type Axis, levelAxis, type MakeAxis, round, valueAxis } from './axis.ts';
import { bandOf, bestPath, joinedPath } from './line-paths.ts';
import { stopsOf } from './line-stops.ts';
import { type SeriesMark, seriesMark } from './palette.ts';

/** One measured point of a series. */
export interface ChartValue {
  level: number;
  value: number;
  /** Ends of the error bar; null if the scatter is unknown. */
  interval: readonly [number, number] | null;
  /** Note after the value: "n 3". */
  basis: string;
  /** What the value belongs to, if the name of the series does not state it: "Chatbot". */
  of?: string;
  /** The single repetitions, drawn as small dots. */
  runs?: readonly number[];
  /** Link to the results of the value. */
  href?: string | null;
}

export interface ChartSeries {
  name: string;
  /** `bound`: an upper bound, drawn as a thin line without marks. */
  kind?: 'measured' | 'bound';
  /** Index in the palette; by default the index in the list. */
  mark?: number;
  values: readonly ChartValue[];
}

/** A threshold line across the chart: "20 ms". */
export interface ChartLine {
  value: number;
  text: string;
}

export interface LineChartInput {
  title: string;
  /**
   * Title "Requests in flight", and the tooltip text of a level: "8 concurrent". `head` is the table heading of the levels,
   * by default "Load". `axis` maps the levels, by default logarithmically. If there are more levels than `binsMax`, the pointer and
   * the keyboard stop at that many equal parts of the axis, which leaves room to touch each.
   */
  x: { title: string; text(level: number): string; head?: string; axis?: MakeAxis; binsMax?: number };
  /**
   * `text` is a value with its unit, `tick` one without. `unit` is empty for counts and ratios. `axis` starts at zero by default.
   */
  y: { title: string; unit: string; text(value: number): string; tick(value: number): string; axis?: MakeAxis };
  series: readonly ChartSeries[];
  lines?: readonly ChartLine[];
  /** Shades the area between the first two series. */
  isBand?: boolean;
  /** Draws the single repetitions next to their mean, if long intervals would hide them. */
  areRunsBeside?: boolean;
  /** Draws the best value so far as steps to the end of the axis, instead of joining the values. */
  bestSoFar?: 'higher' | 'lower';
  /** Meaning of the error bars: "95 % intervals". */
  intervalWords?: string;
  /** Common name of the bounds. */
  boundWords?: string;
}

interface Drawn {
  name: string;
  mark: SeriesMark;
  isBound: boolean;
  path: string;
  points: { x: number; y: number; error: { from: number; to: number } | null }[];
  dots: { x: number; y: number }[];
}

/** A position on the level axis for the pointer and the keyboard, with all values there. */
export interface ChartStop {
  level: number;
  x: number;
  left: number;
  width: number;
  /** All values in one sentence. */
  label: string;
  tip: { isLeft: boolean; widthEm: number; title: string; rows: { mark: SeriesMark; name: string; value: string }[] };
}

export interface ChartCell {
  value: string;
  of: string | null;
  interval: string | null;
  basis: string;
  href: string | null;
}

export interface LineChart {
  /** The values that are drawn. */
  input: LineChartInput;
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: Axis['ticks'];
  yTicks: Axis['ticks'];
  lines: { y: number; text: string; labelY: number }[];
  band: string | null;
  series: Drawn[];
  stops: ChartStop[];
  /** Legend entries of the series. Bounds share one entry. */
  legend: { name: string; mark: SeriesMark; isBound: boolean }[];
  notes: string[];
  /** The same values as a table: levels as rows, series as columns. */
  table: { head: string; columns: string[]; rows: { level: number; text: string; cells: (ChartCell | null)[] }[] };
}

const width = 480;
const height = 296;
const widest = { left: 56, right: width - 12, top: 34, bottom: height - 50 };
type Plot = typeof widest;

/** Width of a letter of a line label, with a margin for wide fonts. */
const letterWidth = 9;

/** Line labels are to the right of the plot, where they cover no data. */
function plotFor(lines: readonly ChartLine[]): Plot {
  const letters = Math.max(0, ...lines.map(({ text }) => text.length));
  return letters === 0 ? widest : { ...widest, right: width - 6 - letters * letterWidth };
}

const sorted = (values: readonly ChartValue[]) => values.toSorted((a, b) => a.level - b.level);

/** Distance of single repetitions from their mean, in units of the drawing. */
const beside = 7;

function draw(
  given: ChartSeries,
  index: number,
  [x, y]: readonly [Axis, Axis],
  { areRunsBeside = false, bestSoFar }: LineChartInput,
): Drawn {
  const values = sorted(given.values);
  const dotsOff = areRunsBeside ? beside : 0;
  const inside = (value: number) => Math.max(value, y.domain[0]);
  const points = values.map(({ level, value, interval }) => ({
    x: x.at(level),
    y: y.at(value),
    error:
      interval === null || interval[0] === interval[1]
        ? null
        : { from: y.at(inside(interval[0])), to: y.at(interval[1]) },
  }));
  return {
    name: given.name,
    mark: seriesMark(given.mark ?? index),
    isBound: given.kind === 'bound',
    path: bestSoFar === undefined ? joinedPath(points) : bestPath(values, bestSoFar, [x, y]),
    points: given.kind === 'bound' ? [] : points,
    dots: values.flatMap(({ level, runs = [] }) =>
      runs.map((run) => ({ x: round(x.at(level) + dotsOff), y: y.at(run) })),
    ),
  };
}

function cellOf(value: ChartValue | undefined, { text, tick }: LineChartInput['y']): ChartCell | null {
  if (value === undefined) return null;
  const { interval, basis, of = null, href = null } = value;
  const range = interval === null ? null : `${tick(interval[0])} to ${text(interval[1])}`;
  return { value: text(value.value), of, interval: range, basis, href };
}

/** Moves line labels apart that would overlap, the upper one up. */
function linesOf(lines: readonly ChartLine[], y: Axis): LineChart['lines'] {
  let above = Number.POSITIVE_INFINITY;
  return lines
    .map(({ value, text }) => ({ y: y.at(value), text }))
    .toSorted((a, b) => b.y - a.y)
    .map((each) => {
      above = round(Math.min(each.y + 4, above - 16));
      return { ...each, labelY: above };
    });
}

/**
 * Computes the geometry, labels and table of a chart of one quantity over the load: a line for each series, error bars,
 * thresholds, bounds and an optional shaded band. Needs at least one value; a load of 0 cannot be drawn.
 */
export function lineChart(input: LineChartInput): LineChart {
  const { title, series, lines = [], isBand = false } = input;
  const { intervalWords = '95 % intervals', boundWords = 'at most' } = input;
  const all = series.flatMap(({ values }) => values);
  const plot = plotFor(lines);
  const inner: [number, number] = [plot.left + 12, plot.right - 12];
  const levels = [...new Set(all.map(({ level }) => level))].toSorted((a, b) => a - b);
  const { axis: placeLevels = levelAxis, head = 'Load' } = input.x;
  const { axis: placeValues = valueAxis } = input.y;
  const x = placeLevels(
    levels,
    inner,
    input.x.axis === undefined ? (level) => level.toLocaleString('en') : input.x.text,
  );
  const shown = [
    ...all.flatMap(({ value, runs = [] }) => [value, ...runs]),
    ...lines.map(({ value }) => value),
    // The domain includes upper interval ends. A lower end can be below zero and is clipped.
    ...all.flatMap(({ interval }) => interval?.[1] ?? []),
    // An axis that does not start at zero must also include the lower ends.
    ...all.flatMap(({ interval }) => (interval === null || input.y.axis === undefined ? [] : Math.max(0, interval[0]))),
  ];
  const y = placeValues(shown, [plot.bottom, plot.top], input.y.tick);
  const drawn = series.map((each, index) => draw(each, index, [x, y], input));
  const hasErrors = drawn.some(({ points }) => points.some(({ error }) => error !== null));
  const hasDots = drawn.some(({ dots }) => dots.length > 0);
  const bound = drawn.find(({ isBound }) => isBound);
  const names = drawn.filter(({ isBound }) => !isBound).map(({ name }) => name);
  const format = x.isLog ? String : input.x.text;
  const span = `${input.x.title.toLowerCase()} from ${format(levels[0] ?? 0)} to ${format(levels.at(-1) ?? 0)}`;
  return {
    input,
    title,
    description: `${input.y.title}${input.y.unit === '' ? '' : ` in ${input.y.unit}`} over ${span}, for ${names.join(', ')}${lines.length === 0 ? '' : `, with ${lines.map(({ text }) => text).join(' and ')}`}. All values are in the table below.`,
    width,
    height,
    plot,
    xTitle: `${input.x.title}${x.isLog ? ' (log scale)' : ''}`,
    yTitle: `${input.y.title}${input.y.unit === '' ? '' : `, ${input.y.unit}`}${y.isLog ? ' (log scale)' : ''}`,
    xTicks: x.ticks,
    yTicks: y.ticks,
    lines: linesOf(lines, y),
    band: isBand ? bandOf(drawn) : null,
    series: drawn,
    stops: stopsOf(input, levels, x, plot),
    legend: [
      ...drawn.filter(({ isBound }) => !isBound),
      ...(bound === undefined ? [] : [{ ...bound, name: boundWords }]),
    ].map(({ name, mark, isBound }) => ({ name, mark, isBound })),
    notes: [
      ...(hasErrors ? [`Bars are ${intervalWords}.`] : []),
      ...(hasDots ? ['Small dots are single repetitions.'] : []),
      ...(y.isLog || y.domain[0] <= 0 ? [] : [`The scale starts at ${input.y.text(y.domain[0])}.`]),
    ],
    table: {
      head,
      columns: series.map(({ name }) => name),
      rows: levels.map((level) => ({
        level,
        text: input.x.text(level),
        cells: series.map(({ values }) =>
          cellOf(
            values.find((value) => value.level === level),
            input.y,
          ),
        ),
      })),
    },
  };
}
