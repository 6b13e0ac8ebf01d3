// Parts of a chart as a separate SVG file, which has no style sheet.
import { dashes, type SeriesMark, seriesIndex } from '../palette.ts';

/** The light colours of `series.css`: a separate file has no theme. */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b07d00', '#3d9cd4', '#444444'];
export const [ink, muted, line, ground] = ['#1b1a17', '#5d5a52', '#e4e1d9', '#ffffff'] as const;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Text as the content or an attribute of an element. */
export const escaped = (text: string) =>
  // XML does not allow control characters, even escaped.
  [...text]
    .filter((letter) => letter >= ' ' || letter === '\n')
    .join('')
    .replace(/[&<>"]/g, (letter) => escapes[letter] ?? '');

type Attributes = Record<string, string | number>;

export const colourOf = (mark: SeriesMark) => colours[seriesIndex(mark)] ?? ink;

/** The stroke of a curve, with its dashes. */
export function strokeOf(mark: SeriesMark): Attributes {
  const dash = dashes[seriesIndex(mark)] ?? [];
  return {
    ...{ stroke: colourOf(mark), fill: 'none', 'stroke-width': 1.75 },
    ...(dash.length === 0 ? {} : { 'stroke-dasharray': dash.join(' ') }),
  };
}

/** An element; `content` is not escaped. */
export function element(name: string, attributes: Attributes, content = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${list.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
}

/** A text element; `words` is escaped. */
export const text = (words: string, attributes: Attributes) =>
  element('text', { fill: muted, ...attributes }, escaped(words));
