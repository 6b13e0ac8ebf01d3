import { formatFigure } from '@inferboard/core/format/figure';
import type { Series } from './time-series.ts';

/** Text in HTML. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

export interface ChartSeries {
  name: string;
  values: Series;
  style: 'line' | 'dots';
  /** Single measurements whose means the values are. */
  single?: Series;
}

export interface Chart {
  title: string;
  /** What its values are in, for the axis. */
  unit: string;
  xTitle: string;
  /** The end of the x axis, which charts below each other share. */
  xMax: number;
  /** The axis whose values are counts: it has no ticks between them. */
  counts?: 'x' | 'y';
  series: readonly ChartSeries[];
}

const size = { width: 560, height: 176, left: 56, right: 14, top: 12, bottom: 44 };
const plotWidth = size.width - size.left - size.right;
const plotHeight = size.height - size.top - size.bottom;
/** More cannot be distinguished on a screen. */
const dotsMax = 3000;
/** A line of fewer values has a dot at each: between them nothing was measured. */
const markedMax = 20;

const short = (value: number) => formatFigure(Number(value.toPrecision(4)), '')?.number ?? '';

/** Round steps from 0 to at least `max`: about `count` of them, none below `least`. */
export function ticksTo(max: number, count: number, least = 0): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = Math.max(max / count, least);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, place) => Number((place * step).toPrecision(12)));
}

/** At most `dotsMax` of the values, evenly, and always the largest. */
function thinned(values: Series): Series {
  if (values.length <= dotsMax) return values;
  const step = Math.ceil(values.length / dotsMax);
  const largest = values.reduce((most, value) => (value[1] > most[1] ? value : most));
  return [...values.filter((_, place) => place % step === 0), largest];
}

function drawSeries(
  { values, style, single = [] }: ChartSeries,
  place: number,
  x: (value: number) => string,
  y: (value: number) => string,
): string {
  const dotsOf = (list: Series) => thinned(list).map(([at, value]) => `M${x(at)} ${y(value)}h0`);
  const dots = dotsOf(values);
  if (style === 'dots') return `<path class="dots s${place}" d="${dots.join('')}"/>`;
  const path = values.map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`);
  const line = `<path class="line s${place}" d="${path.join('')}"/>`;
  if (single.length > 0) return `${line}<path class="dots s${place}" d="${dotsOf(single).join('')}"/>`;
  return values.length < markedMax ? `${line}<path class="marks s${place}" d="${dots.join('')}"/>` : line;
}

function legend(series: readonly ChartSeries[]): string {
  if (series.length < 2) return '';
  const items = series.map(({ name }, place) => `<li class="s${place}">${escapeHtml(name)}</li>`);
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** Charts in two columns, where the screen is wide enough. */
export const drawCharts = (charts: readonly Chart[]): string =>
  `<div class="charts">${charts.map(drawChart).join('')}</div>`;

/** A chart as a figure with an inline drawing; nothing where there are no values. */
export function drawChart({ title, unit, xTitle, xMax, counts, series }: Chart): string {
  const shown = series.filter(({ values }) => values.length > 0);
  if (shown.length === 0) return '';
  const max = shown.reduce(
    (most, { values, single = [] }) => [...values, ...single].reduce((high, [, value]) => Math.max(high, value), most),
    0,
  );
  const yTicks = ticksTo(max, 3, counts === 'y' ? 1 : 0);
  const yMax = yTicks.at(-1) ?? 1;
  const xTicks = ticksTo(xMax, 8, counts === 'x' ? 1 : 0).filter((tick) => tick <= xMax * 1.0001);
  const x = (value: number) => (size.left + (plotWidth * Math.min(value, xMax)) / (xMax || 1)).toFixed(1);
  const y = (value: number) => (size.top + plotHeight * (1 - value / yMax)).toFixed(1);
  const bottom = size.top + plotHeight;
  const lines = [
    ...yTicks.map(
      (tick) =>
        `<path class="grid" d="M${size.left} ${y(tick)}h${plotWidth}"/><text x="${size.left - 6}" y="${y(tick)}" dy=".32em" text-anchor="end">${short(tick)}</text>`,
    ),
    // On a narrow screen every second label is hidden.
    ...xTicks.map(
      (tick, place) =>
        `<path class="grid" d="M${x(tick)} ${bottom}v4"/><text${place % 2 === 1 ? ' class="odd"' : ''} x="${x(tick)}" y="${bottom + 18}" text-anchor="middle">${short(tick)}</text>`,
    ),
    ...shown.map((one, place) => drawSeries(one, place, x, y)),
    `<text class="axis" x="${size.left + plotWidth}" y="${bottom + 39}" text-anchor="end">${escapeHtml(xTitle)}</text>`,
  ];
  const caption = `${escapeHtml(title)}${unit === '' ? '' : `, ${escapeHtml(unit)}`}`;
  return `<figure><figcaption>${caption}</figcaption>${legend(shown)}<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${caption}">${lines.join('')}</svg></figure>`;
}
