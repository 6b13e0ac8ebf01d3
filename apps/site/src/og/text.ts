// Glyph outlines are included, so that images look the same on machines without fonts.
import glyphs from './glyphs.json';
import { type Canvas, type Colour, type Contour, fillContours } from './raster.ts';

export type Weight = keyof typeof glyphs;

/** Units of the outlines per font size. */
const unitsPerSize = 500;

interface Glyph {
  advance: number;
  path: string;
}

const parsed = new Map<string, Glyph>();

/** A glyph; the replacement glyph for characters without an outline. */
function glyphOf(weight: Weight, character: string): Glyph {
  const key = weight + character;
  const known = parsed.get(key);
  if (known !== undefined) return known;
  const table: Record<string, string> = glyphs[weight];
  const text = (Object.hasOwn(table, character) ? table[character] : table['?']) ?? '';
  const space = text.indexOf(' ');
  const glyph = {
    advance: Number(space === -1 ? text : text.slice(0, space)),
    path: space === -1 ? '' : text.slice(space + 1),
  };
  // Cache only characters with outlines: otherwise user-supplied text could grow the map without limit.
  if (Object.hasOwn(table, character)) parsed.set(key, glyph);
  return glyph;
}

export interface Style {
  size: number;
  weight: Weight;
  colour: Colour;
}

/** Width of a line of text, pixels. */
export function measureText(text: string, { size, weight }: Omit<Style, 'colour'>): number {
  return [...text].reduce((sum, character) => sum + (glyphOf(weight, character).advance * size) / unitsPerSize, 0);
}

/** Number of segments per curve; few suffice, because letters are small. */
const curveSteps = 6;

function toContours(path: string, x: number, y: number, scale: number): Contour[] {
  const contours: number[][] = [];
  let current: number[] = [];
  let [px, py] = [0, 0];
  for (const [, command, numbers = ''] of path.matchAll(/([MLQZ])([-\d ]*)/g)) {
    const [a = 0, b = 0, c = 0, d = 0] = numbers.split(' ').map(Number);
    if (command === 'M') {
      current = [];
      contours.push(current);
    }
    if (command === 'Q') {
      for (let step = 1; step <= curveSteps; step += 1) {
        const t = step / curveSteps;
        const u = 1 - t;
        const [cx, cy] = [u * u * px + 2 * u * t * a + t * t * c, u * u * py + 2 * u * t * b + t * t * d];
        current.push(x + cx * scale, y - cy * scale);
      }
      [px, py] = [c, d];
    } else if (command !== 'Z') {
      current.push(x + a * scale, y - b * scale);
      [px, py] = [a, b];
    }
  }
  return contours;
}

/** Draws a line of text from a point on its baseline. Returns the x of its end. */
export function drawText(canvas: Canvas, text: string, x: number, y: number, style: Style): number {
  const scale = style.size / unitsPerSize;
  let at = x;
  for (const character of text) {
    const { advance, path } = glyphOf(style.weight, character);
    fillContours(canvas, toContours(path, at, y, scale), style.colour);
    at += advance * scale;
  }
  return at;
}

/** Truncates a text to a width, with an ellipsis. */
export function fitText(text: string, width: number, style: Omit<Style, 'colour'>): string {
  if (measureText(text, style) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && measureText(`${characters.join('')}…`, style) > width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** Wraps a text to a width. Truncates the last line if there are too many. */
export function wrapText(text: string, width: number, linesMax: number, style: Omit<Style, 'colour'>): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && measureText(longer, style) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  const shown =
    lines.length <= linesMax ? lines : [...lines.slice(0, linesMax - 1), lines.slice(linesMax - 1).join(' ')];
  return shown.map((each) => fitText(each, width, style));
}
