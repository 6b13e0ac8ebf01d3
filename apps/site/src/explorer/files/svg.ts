import type { Tick } from '../../charts/axis.ts';
import { colourOf, element, escaped, ground, ink, line, muted, strokeOf, text } from '../../charts/files/svg.ts';
import { type Drawing, unlabelled } from '../drawing/drawing.ts';
import type { ExplorerView } from '../read.ts';

function axes({ plot, xAxis, yAxis, xTitle, yTitle, height }: Drawing): string {
  const up = ({ at, label }: Tick) =>
    element('path', { d: `M${plot.left} ${at}H${plot.right}`, stroke: line, fill: 'none' }) +
    text(label, { x: plot.left - 7, y: at + 3, 'text-anchor': 'end' });
  const across = ({ at, label }: Tick) =>
    element('path', { d: `M${at} ${plot.bottom}v4`, stroke: muted, fill: 'none' }) +
    text(label, { x: at, y: plot.bottom + 15, 'text-anchor': 'middle' });
  return [
    ...yAxis.ticks.map(up),
    element('path', { d: `M${plot.left} ${plot.bottom}H${plot.right}`, stroke: muted, fill: 'none' }),
    ...xAxis.ticks.map(across),
    text(xTitle, { x: (plot.left + plot.right) / 2, y: height - 14, 'text-anchor': 'middle', fill: ink }),
    text(yTitle, { x: 4, y: 22, fill: ink }),
  ].join('');
}

function curves({ curves: all, plot }: Drawing): string {
  const clip = element(
    'clipPath',
    { id: 'plot' },
    element('rect', {
      ...{ x: plot.left - 6, y: plot.top - 6 },
      ...{ width: plot.right - plot.left + 12, height: plot.bottom - plot.top + 12 },
    }),
  );
  const drawn = all.map(({ name, mark, path, points, label }) => {
    const colour = colourOf(mark);
    const marks = points.map(({ at, xText, yText, detail, isOnCurve }) =>
      element(
        'path',
        {
          ...{ d: mark.shape, transform: `translate(${at.x} ${at.y})`, fill: colour },
          ...(isOnCurve ? {} : { 'fill-opacity': 0.4 }),
        },
        element('title', {}, escaped(`${name}: ${yText} at ${xText}, ${detail}`)),
      ),
    );
    const words =
      label === null
        ? ''
        : (label.markAt === null
            ? ''
            : element('path', {
                d: mark.shape,
                fill: colour,
                'data-label': name,
                transform: `translate(${label.markAt.x} ${label.markAt.y})`,
              })) +
          text(name, {
            ...{ x: label.x, y: label.y, 'text-anchor': label.anchor, 'font-weight': 600, fill: ink },
            ...{ stroke: ground, 'stroke-width': 3, 'paint-order': 'stroke' },
          });
    const curve = path === '' ? '' : element('path', { d: path, ...strokeOf(mark), 'clip-path': 'url(#plot)' });
    return curve + marks.join('') + words;
  });
  return clip + drawn.join('');
}

function limitLine({ limit, plot }: Drawing): string {
  if (limit === null) return '';
  const colour = '#a63d00';
  return (
    element('path', {
      d: `M${limit.at} ${plot.top}V${plot.bottom}`,
      stroke: colour,
      'stroke-dasharray': '4 3',
      fill: 'none',
    }) +
    text(limit.text, {
      ...{ x: limit.label.x, y: limit.label.y, 'text-anchor': limit.label.anchor, fill: colour },
    })
  );
}

/** Width of a letter of the legend, and height of a line. */
const [letterWidth, lineHeight] = [6, 15];

/** The names that found no room next to their curves, in rows under the chart, and the height of the rows. */
function legend(drawing: Drawing, top: number): { content: string; height: number } {
  let [x, row] = [4, 0];
  const entries = unlabelled(drawing).map(({ name, mark }) => {
    const size = 34 + name.length * letterWidth;
    if (x > 4 && x + size > drawing.width) [x, row] = [4, row + 1];
    const y = top + row * lineHeight;
    const at = x;
    x += size;
    return (
      element('path', { d: `M${at} ${y - 4}h22`, ...strokeOf(mark) }) +
      element('path', {
        d: mark.shape,
        transform: `translate(${at + 11} ${y - 4})`,
        fill: colourOf(mark),
        'data-label': name,
      }) +
      text(name, { x: at + 27, y, fill: ink })
    );
  });
  return { content: entries.join(''), height: entries.length === 0 ? 0 : (row + 1) * lineHeight };
}

/**
 * A chart as a separate SVG file with title, units, a legend of the curves without a label, source URL and the date of drawing.
 *
 * @param page URL of the state
 * @param day date, such as 2026-11-23
 */
export function explorerSvg(
  { title }: ExplorerView,
  drawing: Drawing,
  { page, day }: { page: string; day: string },
): string {
  const { width } = drawing;
  const above = 26;
  const names = legend(drawing, drawing.height + above);
  const height = drawing.height + names.height;
  return element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height + above}`, width: 2 * width },
      ...{ height: 2 * (height + above), 'font-family': 'system-ui, sans-serif', 'font-size': 11, role: 'img' },
    },
    element('title', {}, escaped(title)) +
      element('rect', { width, height: height + above, fill: ground }) +
      text(title, { x: 4, y: 18, 'font-size': 13, 'font-weight': 700, fill: ink }) +
      element('g', { transform: `translate(0 ${above - 6})` }, axes(drawing) + curves(drawing) + limitLine(drawing)) +
      names.content +
      text(`Inferboard, ${page}, ${day}`, { x: 4, y: height + above - 6, 'font-size': 7 }),
  );
}
