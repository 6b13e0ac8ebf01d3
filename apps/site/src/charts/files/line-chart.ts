import { toCsv } from '../../lib/csv.ts';
import type { LineChart } from '../line-chart.ts';
import { colourOf, element, escaped, ground, ink, line, muted, strokeOf, text } from './svg.ts';

/** The files of a chart. */
export type FileExtension = 'png' | 'svg' | 'csv';

/** What a file states about its chart. */
export interface ChartFile {
  /** What the chart shows: the system. */
  subject: string;
  /** URL of the page with the chart. */
  page: string;
  /** Date of drawing, such as 2026-11-23. */
  day: string;
}

function axes({ plot, xTicks, yTicks, xTitle, yTitle, height }: LineChart): string {
  return [
    ...yTicks.map(
      ({ at, label }) =>
        element('path', { d: `M${plot.left} ${at}H${plot.right}`, stroke: line, fill: 'none' }) +
        text(label, { x: plot.left - 7, y: at + 4, 'text-anchor': 'end' }),
    ),
    element('path', { d: `M${plot.left} ${plot.bottom}H${plot.right}`, stroke: muted, fill: 'none' }),
    ...xTicks.map(
      ({ at, label }) =>
        element('path', { d: `M${at} ${plot.bottom}v4`, stroke: muted, fill: 'none' }) +
        text(label, { x: at, y: plot.bottom + 18, 'text-anchor': 'middle' }),
    ),
    text(xTitle, { x: (plot.left + plot.right) / 2, y: height - 8, 'text-anchor': 'middle', fill: ink }),
    text(yTitle, { x: 2, y: 17, fill: ink }),
  ].join('');
}

function limits({ lines, plot }: LineChart): string {
  return lines
    .map(
      ({ y, text: words, labelY }) =>
        element('path', {
          ...{ d: `M${plot.left} ${y}H${plot.right}`, stroke: muted, fill: 'none', 'stroke-dasharray': '4 3' },
        }) + text(words, { x: plot.right + 4, y: labelY }),
    )
    .join('');
}

function series({ series: all, band }: LineChart): string {
  const area = band === null ? '' : element('path', { d: band, fill: muted, 'fill-opacity': 0.12 });
  const drawn = all.map(({ mark, isBound, path, points, dots }) => {
    const colour = colourOf(mark);
    const bars = points.flatMap(({ x, error }) =>
      error === null ? [] : [`M${x} ${error.from}V${error.to}M${x - 3} ${error.from}h6M${x - 3} ${error.to}h6`],
    );
    return [
      path === '' ? '' : element('path', { d: path, ...strokeOf(mark), ...(isBound && { 'stroke-width': 1 }) }),
      ...dots.map(({ x, y }) => element('circle', { cx: x, cy: y, r: 1.5, fill: colour })),
      bars.length === 0 ? '' : element('path', { d: bars.join(''), stroke: colour, fill: 'none' }),
      ...points.map(({ x, y }) => element('path', { d: mark.shape, transform: `translate(${x} ${y})`, fill: colour })),
    ].join('');
  });
  return area + drawn.join('');
}

/** Height of a row of the legend or the notes. */
const rowHeight = 15;

/**
 * A chart as a separate SVG file with title, subject, units, legend, notes, source URL and the date of drawing.
 */
export function lineChartSvg(chart: LineChart, { subject, page, day }: ChartFile): string {
  const { width, legend } = chart;
  const above = 44;
  const named = legend.length > 1 ? legend : [];
  const below = chart.height + above;
  const notesAt = below + named.length * rowHeight;
  const height = notesAt + (chart.notes.length > 0 ? rowHeight : 0) + 14;
  const entries = named.map(
    ({ name, mark, isBound }, row) =>
      element('path', { d: `M4 ${below + row * rowHeight + 4}h22`, ...strokeOf(mark) }) +
      (isBound
        ? ''
        : element('path', {
            ...{ d: mark.shape, transform: `translate(15 ${below + row * rowHeight + 4})`, fill: colourOf(mark) },
          })) +
      text(name, { x: 31, y: below + row * rowHeight + 8, fill: ink }),
  );
  return element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width: 2 * width },
      ...{ height: 2 * height, 'font-family': 'system-ui, sans-serif', 'font-size': 11, role: 'img' },
    },
    element('title', {}, escaped(`${chart.title}: ${subject}`)) +
      element('rect', { width, height, fill: ground }) +
      text(chart.title, { x: 4, y: 18, 'font-size': 13, 'font-weight': 700, fill: ink }) +
      text(subject, { x: 4, y: 34 }) +
      element('g', { transform: `translate(0 ${above - 6})` }, axes(chart) + limits(chart) + series(chart)) +
      entries.join('') +
      (chart.notes.length > 0 ? text(chart.notes.join(' '), { x: 4, y: notesAt + 8, 'font-size': 9 }) : '') +
      text(`Inferboard, ${page}, ${day}`, { x: 4, y: height - 5, 'font-size': 7 }),
  );
}

const heading = ['chart', 'series', 'x', 'x_value', 'y', 'y_unit', 'y_value', 'ci95_low', 'ci95_high', 'basis', 'page'];

/** The values of a chart as CSV: a line for each value, with its unit, interval, basis and page. Bounds have none. */
export function lineChartCsv({ title, input }: LineChart, { page }: Pick<ChartFile, 'page'>): string {
  const { x, y, series: all } = input;
  return toCsv(
    heading,
    all.flatMap(({ name, values }) =>
      values.map(({ level, value, interval, basis, of }) => [
        ...[title, name, x.title, level, y.title, y.unit, value, interval?.[0] ?? null, interval?.[1] ?? null],
        [of, basis].filter((part) => part !== undefined && part !== '').join(', '),
        page,
      ]),
    ),
  );
}
