// Outlines of letters come along, so that a picture looks the same on a machine without fonts.
import glyphs from './glyphs.json';
import { type Canvas, type Colour, type Contour, fillContours } from './raster.ts';

export type Weight = keyof typeof glyphs;

/** Units of the outlines to the size of a letter. */
const unitsPerSize = 500;

interface Glyph {
  advance: number;
  path: string;
}

const parsed = new Map<string, Glyph>();

/** A letter; of those there is no outline of, the sign for that. */
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
  // Only letters there are outlines of, or the map would grow with what strangers write.
  if (Object.hasOwn(table, character)) parsed.set(key, glyph);
  return glyph;
}

export interface Style {
  size: number;
  weight: Weight;
  colour: Colour;
}

/** Pixels that a line of text takes from left to right. */
export function measureText(text: string, { size, weight }: Omit<Style, 'colour'>): number {
  return [...text].reduce((sum, character) => sum + (glyphOf(weight, character).advance * size) / unitsPerSize, 0);
}

/** Straight pieces of a curve: letters are small. */
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

/** Writes a line from a point of its baseline on. Answers where it ends. */
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

/** A text cut so that it fits, with an ellipsis where something is missing. */
export function fitText(text: string, width: number, style: Omit<Style, 'colour'>): string {
  if (measureText(text, style) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && measureText(`${characters.join('')}…`, style) > width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** A text in lines that fit; the last is cut where there are too many. */
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
