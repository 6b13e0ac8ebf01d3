import type { Tick } from '../charts/axis.ts';
import type { Drawing } from './drawing.ts';
import type { ExplorerView } from './read.ts';

/** The light shades of `series.css`: a file on its own has no theme to follow. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b07d00', '#3d9cd4', '#444444'];
const [ink, muted, line, ground] = ['#1b1a17', '#5d5a52', '#e4e1d9', '#ffffff'];

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) =>
  // Control characters have no place in XML, not even escaped.
  [...text]
    .filter((letter) => letter >= ' ' || letter === '\n')
    .join('')
    .replace(/[&<>"]/g, (letter) => escapes[letter] ?? '');

const colourOf = (className: string) => colours[Number(className.replace('series-', '')) - 1] ?? ink;

type Attributes = Record<string, string | number>;
function element(name: string, attributes: Attributes, content = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${list.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
}

const text = (words: string, attributes: Attributes) => element('text', { fill: muted, ...attributes }, escaped(words));

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
    text(xTitle, { x: (plot.left + plot.right) / 2, y: height - 20, 'text-anchor': 'middle', fill: ink }),
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
    const colour = colourOf(mark.className);
    const marks = points.map(({ at, xText, yText, detail }) =>
      element(
        'path',
        { d: mark.shape, transform: `translate(${at.x} ${at.y})`, fill: colour },
        element('title', {}, escaped(`${name}: ${yText} at ${xText}, ${detail}`)),
      ),
    );
    const words =
      label === null
        ? ''
        : text(name, {
            ...{ x: label.x, y: label.y, 'text-anchor': label.anchor, 'font-weight': 600, fill: ink },
            ...{ stroke: ground, 'stroke-width': 3, 'paint-order': 'stroke' },
          });
    const curve =
      path === '' ? '' : element('path', { d: path, stroke: colour, fill: 'none', 'clip-path': 'url(#plot)' });
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
    }) + text(limit.text, { x: limit.at + 4, y: plot.top + 9, fill: colour })
  );
}

/**
 * A chart as a file on its own: title, units, the page it is from, and the day it was drawn.
 *
 * @param page the address of the state
 * @param day such as 2026-11-23
 */
export function explorerSvg(
  { title }: ExplorerView,
  drawing: Drawing,
  { page, day }: { page: string; day: string },
): string {
  const { width, height } = drawing;
  const above = 26;
  return element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height + above}`, width: 2 * width },
      ...{ height: 2 * (height + above), 'font-family': 'system-ui, sans-serif', 'font-size': 9, role: 'img' },
    },
    element('title', {}, escaped(title)) +
      element('rect', { width, height: height + above, fill: ground }) +
      text(title, { x: 4, y: 18, 'font-size': 13, 'font-weight': 700, fill: ink }) +
      element('g', { transform: `translate(0 ${above - 6})` }, axes(drawing) + curves(drawing) + limitLine(drawing)) +
      text(`Inferboard, ${page}, ${day}`, { x: 4, y: height + above - 6, 'font-size': 7 }),
  );
}
