import type { IntervalBar } from '../charts/interval-bar.ts';
import type { BoardView } from '../features/board/data/board-view.ts';
import { toPng } from './png.ts';
import { type Canvas, type Colour, createCanvas, fillBox } from './raster.ts';
import { drawText, fitText, measureText, type Style, wrapText } from './text.ts';

const [width, height] = [1200, 630];
const edge = 40;
const inner = width - 2 * edge;
const [top, rowHeight, rowsMax] = [172, 60, 7];
const ground: Colour = [255, 255, 255];
const ink: Colour = [27, 26, 23];
const muted: Colour = [93, 90, 82];
const lead: Colour = [166, 61, 0];
const track: Colour = [245, 244, 240];
const bar: Colour = [188, 211, 230];
const leadBar: Colour = [233, 180, 143];

const regular = (size: number, colour: Colour): Style => ({ size, weight: 'regular', colour });
const bold = (size: number, colour: Colour): Style => ({ size, weight: 'bold', colour });

/** A row of a board as a bar from zero. */
export interface RankedBar {
  rank: string;
  name: string;
  detail: string;
  value: string;
  bar: IntervalBar;
  isLead: boolean;
}

/** The bars of a board's first rows. */
export const toRankedBars = ({ rows }: BoardView): RankedBar[] =>
  rows.slice(0, rowsMax).map(({ rank, name, scenario, load, figure, bar: drawn, isLead }) => ({
    rank: rank ?? '',
    name: [name.title, name.tag].filter(Boolean).join(' '),
    detail: [name.rest, scenario.title, load].filter(Boolean).join(' · '),
    value: figure.value,
    bar: drawn,
    isLead,
  }));

function drawBar(canvas: Canvas, { bar: drawn, isLead }: RankedBar, y: number): void {
  const scale = inner / drawn.width;
  fillBox(canvas, edge, y, inner, 16, track);
  fillBox(canvas, edge, y, drawn.bar * scale, 16, isLead ? leadBar : bar);
  if (drawn.whisker === null) return;
  const [from, to] = [edge + drawn.whisker.from * scale, edge + drawn.whisker.to * scale];
  fillBox(canvas, from, y + 7, Math.max(to - from, 1), 2, ink);
  for (const end of [from, to]) fillBox(canvas, end - 1, y + 2, 2, 12, ink);
}

function drawRow(canvas: Canvas, row: RankedBar, y: number): void {
  const strong = bold(22, row.isLead ? lead : ink);
  const small = regular(18, muted);
  const value = width - edge - measureText(row.value, strong);
  drawText(canvas, row.rank, edge, y, strong);
  drawText(canvas, row.value, value, y, strong);
  const name = fitText(row.name, 480, strong);
  const end = drawText(canvas, name, edge + 84, y, strong);
  drawText(canvas, fitText(row.detail, value - end - 36, small), end + 16, y, small);
  drawBar(canvas, row, y + 9);
}

/**
 * The first rows of a board as PNG, 1200 by 630: bars from zero with 95 % intervals.
 *
 * @param unit heading of the values: the metric and its unit
 * @param source source and date of drawing
 */
export function drawRanking(
  title: string,
  unit: string,
  rows: readonly RankedBar[],
  source: string,
): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(width, height, ground);
  fillBox(canvas, 0, 0, width, 12, ink);
  for (const [place, size] of [40, 26, 14].entries())
    fillBox(canvas, width - 80, 36 + place * 12, size, 8, place === 0 ? lead : ink);
  const heading = bold(32, ink);
  for (const [at, text] of wrapText(title, width - 160, 2, heading).entries())
    drawText(canvas, text, edge, 62 + at * 38, heading);
  const small = regular(18, muted);
  const hasIntervals = rows.some(({ bar: drawn }) => drawn.whisker !== null);
  const what = hasIntervals ? `${unit}, with 95 % intervals` : unit;
  drawText(canvas, what, width - edge - measureText(what, small), top - 32, small);
  for (const [at, row] of rows.slice(0, rowsMax).entries()) drawRow(canvas, row, top + at * rowHeight);
  drawText(canvas, fitText(source, inner, small), edge, height - 16, small);
  return toPng(canvas);
}
