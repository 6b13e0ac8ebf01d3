import { area, line } from 'd3-shape';
import { type Axis, levelAxis, type MakeAxis, round, valueAxis } from './axis.ts';
import { type SeriesMark, seriesMark } from './palette.ts';

/** One measured point of a series. */
export interface ChartValue {
  level: number;
  value: number;
  /** What the error bar spans; null where nothing is known of it. */
  interval: readonly [number, number] | null;
  /** Whatever stands behind the value: "n 3". */
  basis: string;
  /** Says what the value is of, where the series' name does not: "Chatbot". */
  of?: string;
  /** The single repetitions, drawn small. */
  runs?: readonly number[];
  /** Where the value comes from. */
  href?: string | null;
}

export interface ChartSeries {
  name: string;
  /** `bound`: what could be at most; a thin line without marks. */
  kind?: 'measured' | 'bound';
  /** Place in the palette; its place in the list by default. */
  mark?: number;
  values: readonly ChartValue[];
}

/** A level across the chart that values are held against: "20 ms". */
export interface ChartLine {
  value: number;
  text: string;
}

export interface LineChartInput {
  title: string;
  /**
   * "Requests in flight", and a level in words for whoever stops at it: "8 concurrent". `head` stands over the levels in the
   * table, "Load" by default; `axis` places them, by ratio as loads are unless it is given.
   */
  x: { title: string; text(level: number): string; head?: string; axis?: MakeAxis };
  /**
   * `text` is a value with its unit, `tick` one without; `unit` is empty for counts and shares. `axis` begins at zero unless
   * it is given.
   */
  y: { title: string; unit: string; text(value: number): string; tick(value: number): string; axis?: MakeAxis };
  series: readonly ChartSeries[];
  lines?: readonly ChartLine[];
  /** Shades what lies between the first two series. */
  isBand?: boolean;
  /** Draws the single repetitions beside their mean, where intervals that are long would cover them. */
  areRunsBeside?: boolean;
  /** What error bars are: "95 % intervals". */
  intervalWords?: string;
  /** What the bounds are called together. */
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

/** A place on the level axis that can be pointed at or stepped to: all values there. */
export interface ChartStop {
  level: number;
  x: number;
  left: number;
  width: number;
  /** All of it in one sentence. */
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
  /** Series in the legend: bounds share one entry. */
  legend: { name: string; mark: SeriesMark; isBound: boolean }[];
  notes: string[];
  /** The same figures for a table: levels as rows, series as columns. */
  table: { head: string; columns: string[]; rows: { level: number; text: string; cells: (ChartCell | null)[] }[] };
}

const width = 480;
const height = 296;
const widest = { left: 56, right: width - 12, top: 34, bottom: height - 50 };
type Plot = typeof widest;

/** A letter of the labels of lines, with a margin for wide fonts. */
const letterWidth = 9;

/** The labels of lines stand right of the plot, where they cover no data. */
function plotFor(lines: readonly ChartLine[]): Plot {
  const letters = Math.max(0, ...lines.map(({ text }) => text.length));
  return letters === 0 ? widest : { ...widest, right: width - 6 - letters * letterWidth };
}

const sorted = (values: readonly ChartValue[]) => values.toSorted((a, b) => a.level - b.level);

/** Where single repetitions are drawn beside their mean, in units of the drawing. */
const beside = 7;

function draw(given: ChartSeries, index: number, x: Axis, y: Axis, dotsOff: number): Drawn {
  const values = sorted(given.values);
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
    path:
      line<{ x: number; y: number }>(
        (point) => point.x,
        (point) => point.y,
      )(points) ?? '',
    points: given.kind === 'bound' ? [] : points,
    dots: values.flatMap(({ level, runs = [] }) =>
      runs.map((run) => ({ x: round(x.at(level) + dotsOff), y: y.at(run) })),
    ),
  };
}

/** The area between two lines, over the levels that both have. */
function bandOf([one, other]: readonly (Drawn | undefined)[]): string | null {
  if (one === undefined || other === undefined) return null;
  const pairs = one.points.flatMap(({ x, y }) => {
    const found = other.points.find((point) => point.x === x);
    return found === undefined ? [] : [{ x, low: y, high: found.y }];
  });
  if (pairs.length < 2) return null;
  return area<(typeof pairs)[number]>(
    (pair) => pair.x,
    (pair) => pair.low,
    (pair) => pair.high,
  )(pairs);
}

/** A level's own strip reaches halfway to its neighbours. */
function stopsOf({ x: words, y, series }: LineChartInput, levels: readonly number[], x: Axis, plot: Plot): ChartStop[] {
  const measured = series.map((each, index) => ({ ...each, index })).filter(({ kind }) => kind !== 'bound');
  return levels.map((level, index) => {
    const at = x.at(level);
    const before = levels[index - 1];
    const after = levels[index + 1];
    const left = before === undefined ? plot.left : (at + x.at(before)) / 2;
    const right = after === undefined ? plot.right : (at + x.at(after)) / 2;
    const found = measured.flatMap(({ name, values, mark, index: place }) => {
      const value = values.find((candidate) => candidate.level === level);
      if (value === undefined) return [];
      const text = `${y.text(value.value)}`;
      return [
        { mark: seriesMark(mark ?? place), name: value.of ?? name, value: text, basis: value.basis, series: name },
      ];
    });
    const chars = Math.max(10, ...found.map(({ name, value }) => name.length + value.length));
    return {
      level,
      x: at,
      left: round(left),
      width: round(right - left),
      label: `${words.text(level)}: ${found
        .map(({ series: of, name, value, basis }) => `${of === name ? name : `${of}, ${name}`} ${value}, ${basis}`)
        .join('; ')}`,
      tip: {
        isLeft: at > (plot.left + plot.right) / 2,
        widthEm: round(chars * 0.56 + 4),
        title: words.text(level),
        rows: found.map(({ mark, name, value }) => ({ mark, name, value })),
      },
    };
  });
}

function cellOf(value: ChartValue | undefined, { text, tick }: LineChartInput['y']): ChartCell | null {
  if (value === undefined) return null;
  const { interval, basis, of = null, href = null } = value;
  const range = interval === null ? null : `${tick(interval[0])} to ${text(interval[1])}`;
  return { value: text(value.value), of, interval: range, basis, href };
}

/** Labels of lines that lie close together are moved apart, the upper one up. */
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
 * Geometry, words and table of a chart of one quantity over the load: a line a series, error bars, lines to hold the values
 * against, bounds, and a shaded band if asked for. Needs at least one value; a load of 0 has no place.
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
    // The upper end of an interval needs room; the lower one of a wide one may fall below zero, and is cut there.
    ...all.flatMap(({ interval }) => interval?.[1] ?? []),
    // An axis that does not begin at zero has to hold the lower ends too.
    ...all.flatMap(({ interval }) => (interval === null || input.y.axis === undefined ? [] : Math.max(0, interval[0]))),
  ];
  const y = placeValues(shown, [plot.bottom, plot.top], input.y.tick);
  const drawn = series.map((each, index) => draw(each, index, x, y, input.areRunsBeside ? beside : 0));
  const hasErrors = drawn.some(({ points }) => points.some(({ error }) => error !== null));
  const hasDots = drawn.some(({ dots }) => dots.length > 0);
  const bound = drawn.find(({ isBound }) => isBound);
  const names = drawn.filter(({ isBound }) => !isBound).map(({ name }) => name);
  const told = x.isLog ? String : input.x.text;
  const span = `${input.x.title.toLowerCase()} from ${told(levels[0] ?? 0)} to ${told(levels.at(-1) ?? 0)}`;
  return {
    title,
    description: `${input.y.title}${input.y.unit === '' ? '' : ` in ${input.y.unit}`} over ${span}, for ${names.join(', ')}${lines.length === 0 ? '' : `, beside ${lines.map(({ text }) => text).join(' and ')}`}. All figures stand in the table below.`,
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
      ...(y.isLog || y.domain[0] <= 0 ? [] : [`The scale begins at ${input.y.text(y.domain[0])}.`]),
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
