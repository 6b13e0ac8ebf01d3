import type { Tick } from '../charts/axis.ts';
import { dashes, type SeriesMark, seriesIndex } from '../charts/palette.ts';
import { unlabelled } from '../explorer/drawing/drawing.ts';
import { toPng } from './png.ts';
import { type Canvas, type Colour, createCanvas, fillBox, fillContours } from './raster.ts';
import { drawText, fitText, measureText, type Style, wrapText } from './text.ts';

const [width, height] = [1200, 630];
const plot = { left: 110, right: width - 40, top: 164, bottom: height - 104 };
const ink: Colour = [27, 26, 23];
const muted: Colour = [93, 90, 82];
const line: Colour = [228, 225, 217];
const lead: Colour = [166, 61, 0];
const ground: Colour = [255, 255, 255];

/** The light colours of `series.css`. */
const colours: readonly Colour[] = [
  [0, 114, 178],
  [213, 94, 0],
  [0, 158, 115],
  [204, 121, 167],
  [176, 125, 0],
  [61, 156, 212],
  [68, 68, 68],
];

const regular = (size: number, colour: Colour): Style => ({ size, weight: 'regular', colour });
const bold = (size: number, colour: Colour): Style => ({ size, weight: 'bold', colour });

type Corner = readonly [x: number, y: number];

interface PicturedCurve {
  name: string;
  mark: SeriesMark;
  /** Lines between corners, "M1,2L3,4"; empty for none. */
  path: string;
  points: readonly { at: { x: number; y: number }; bar?: { from: number; to: number } | null }[];
  /** Place of the name; null if it is in the legend. */
  label: { x: number; y: number; anchor: string } | null;
}

/** What an image shows, in units of its drawing. */
export interface ChartPicture {
  plot: { left: number; right: number; top: number; bottom: number };
  xAxis: { ticks: readonly Tick[] };
  yAxis: { ticks: readonly Tick[] };
  xTitle: string;
  yTitle: string;
  curves: readonly PicturedCurve[];
  /** A vertical line. */
  limit: { at: number; text: string } | null;
  /** Horizontal lines. */
  levels?: readonly { y: number; text: string }[];
}

const circle = Array.from({ length: 20 }, (_, at): Corner => {
  const angle = (at / 20) * 2 * Math.PI;
  return [4 * Math.cos(angle), 4 * Math.sin(angle)];
});

/** Vertices of a marker, from paths of lines and one with arcs, which is a circle. */
function cornersOf(shape: string): readonly Corner[] {
  if (shape.includes('a')) return circle;
  let [x, y] = [0, 0];
  return [...shape.matchAll(/([MLHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)].map(([, command, first, second]): Corner => {
    if (command === 'V') y = Number(first);
    else x = Number(first);
    if (second !== undefined) y = Number(second);
    return [x, y];
  });
}

/** The part of a line inside the plot; null if there is none (Liang and Barsky). */
function clipped([x0, y0]: Corner, [x1, y1]: Corner): [Corner, Corner] | null {
  const [dx, dy] = [x1 - x0, y1 - y0];
  let [from, to] = [0, 1];
  for (const [step, room] of [
    [-dx, x0 - plot.left],
    [dx, plot.right - x0],
    [-dy, y0 - plot.top],
    [dy, plot.bottom - y0],
  ] as const) {
    if (step === 0 && room < 0) return null;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  if (from > to) return null;
  return [
    [x0 + from * dx, y0 + from * dy],
    [x0 + to * dx, y0 + to * dy],
  ];
}

function strokeLine(canvas: Canvas, [x0, y0]: Corner, [x1, y1]: Corner, thickness: number, colour: Colour): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length === 0) return;
  const [nx, ny] = [((y1 - y0) / length) * (thickness / 2), (-(x1 - x0) / length) * (thickness / 2)];
  fillContours(canvas, [[x0 + nx, y0 + ny, x1 + nx, y1 + ny, x1 - nx, y1 - ny, x0 - nx, y0 - ny]], colour);
}

/** Maps positions of the drawing to positions of the image. */
function scaleOf({ plot: from }: ChartPicture) {
  const x = (at: number) => plot.left + ((at - from.left) / (from.right - from.left)) * (plot.right - plot.left);
  const y = (at: number) => plot.top + ((at - from.top) / (from.bottom - from.top)) * (plot.bottom - plot.top);
  return { x, y };
}

type Scale = ReturnType<typeof scaleOf>;

function drawAxes(canvas: Canvas, { xAxis, yAxis, xTitle, yTitle }: ChartPicture, scale: Scale): void {
  const small = regular(20, muted);
  for (const { at, label } of yAxis.ticks) {
    const y = scale.y(at);
    fillBox(canvas, plot.left, y, plot.right - plot.left, 1, line);
    drawText(canvas, label, plot.left - 10 - measureText(label, small), y + 7, small);
  }
  fillBox(canvas, plot.left, plot.bottom, plot.right - plot.left, 2, muted);
  for (const { at, label } of xAxis.ticks) {
    const x = scale.x(at);
    fillBox(canvas, x, plot.bottom, 2, 7, muted);
    drawText(
      canvas,
      label,
      Math.min(x - measureText(label, small) / 2, width - 8 - measureText(label, small)),
      plot.bottom + 29,
      small,
    );
  }
  const title = bold(20, ink);
  drawText(
    canvas,
    fitText(xTitle, 700, title),
    (plot.left + plot.right - measureText(xTitle, title)) / 2,
    plot.bottom + 57,
    title,
  );
  drawText(canvas, fitText(yTitle, 700, title), 40, plot.top - 16, title);
}

const colourOf = (mark: SeriesMark) => colours[seriesIndex(mark)] ?? ink;

/** The pattern of a dashed line, in pixels. */
const dashOf = (mark: SeriesMark) => (dashes[seriesIndex(mark)] ?? []).map((length) => length * 1.8);

/** Draws a line through corners, with dashes that continue from one part to the next. */
function strokeCurve(canvas: Canvas, corners: readonly Corner[], mark: SeriesMark, isInside = clipped): void {
  const dash = dashOf(mark);
  let [place, left] = [0, dash[0] ?? Number.POSITIVE_INFINITY];
  for (const [at, [x1, y1] = [0, 0]] of corners.slice(1).entries()) {
    const [x0, y0] = corners[at] ?? [x1, y1];
    const length = Math.hypot(x1 - x0, y1 - y0);
    const along = (done: number): Corner => [x0 + ((x1 - x0) * done) / length, y0 + ((y1 - y0) * done) / length];
    for (let done = 0; done < length; ) {
      const end = Math.min(length, done + left);
      const part = place % 2 === 0 ? isInside(along(done), along(end)) : null;
      if (part !== null) strokeLine(canvas, part[0], part[1], 3.5, colourOf(mark));
      left -= end - done;
      done = end;
      // A remainder of rounding would never end.
      if (left > 1e-6) continue;
      place += 1;
      left = dash[place % dash.length] ?? Number.POSITIVE_INFINITY;
    }
  }
}

function drawCurve(canvas: Canvas, curve: PicturedCurve, scale: Scale): void {
  const colour = colourOf(curve.mark);
  const corners = [...curve.path.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(
    ([, x, y]): Corner => [scale.x(Number(x)), scale.y(Number(y))],
  );
  strokeCurve(canvas, corners, curve.mark);
  const shape = cornersOf(curve.mark.shape);
  for (const { at, bar = null } of curve.points) {
    const [x, y] = [scale.x(at.x), scale.y(at.y)];
    if (bar !== null) {
      const [from, to] = [scale.y(bar.from), scale.y(bar.to)];
      fillBox(canvas, x - 1, Math.min(from, to), 2, Math.abs(to - from), colour);
      for (const end of [from, to]) fillBox(canvas, x - 6, end - 1, 12, 2, colour);
    }
    fillContours(canvas, [shape.flatMap(([dx, dy]) => [x + 1.8 * dx, y + 1.8 * dy])], colour);
  }
}

/** Names at the ends of the curves, moved down to avoid overlaps. */
function drawNames(canvas: Canvas, curves: readonly PicturedCurve[], scale: Scale): void {
  const style = bold(20, ink);
  const taken: { left: number; right: number; y: number }[] = [];
  for (const curve of curves) {
    if (curve.label === null) continue;
    const name = fitText(curve.name, 420, style);
    const long = measureText(name, style);
    const x = scale.x(curve.label.x);
    const left = Math.max(plot.left, curve.label.anchor === 'start' && x + long < width - 8 ? x : x - long);
    let y = Math.max(plot.top + 10, scale.y(curve.label.y) - 10);
    while (taken.some((box) => Math.abs(box.y - y) < 24 && left < box.right && left + long > box.left)) y += 24;
    taken.push({ left, right: left + long, y });
    fillBox(canvas, left - 4, y - 18, long + 8, 24, ground);
    drawText(canvas, name, left, y, { ...style, colour: colourOf(curve.mark) });
  }
}

/** The names that found no room next to their curves, in the line of the source. */
function drawLegend(canvas: Canvas, drawing: ChartPicture, left: number): void {
  const style = regular(18, ink);
  const [y, end] = [height - 16, width - 80];
  const entries = unlabelled(drawing);
  let x = left;
  for (const [at, { name, mark }] of entries.entries()) {
    const text = fitText(name, 240, style);
    const size = 66 + measureText(text, style);
    if (x + size > end) {
      drawText(canvas, `+${entries.length - at}`, x, y, style);
      return;
    }
    const line: Corner[] = [
      [x, y - 6],
      [x + 40, y - 6],
    ];
    strokeCurve(canvas, line, mark, (from, to) => [from, to]);
    const shape = cornersOf(mark.shape);
    fillContours(canvas, [shape.flatMap(([dx, dy]) => [x + 20 + 1.6 * dx, y - 6 + 1.6 * dy])], colourOf(mark));
    drawText(canvas, text, x + 48, y, style);
    x += size;
  }
}

/**
 * A chart as PNG, 1200 by 630: title, units on both axes, curves with their names, and the source.
 *
 * @param source source and date of drawing
 */
export function drawChart(title: string, drawing: ChartPicture, source: string): Uint8Array<ArrayBuffer> {
  const canvas = createCanvas(width, height, ground);
  fillBox(canvas, 0, 0, width, 12, ink);
  for (const [place, size] of [40, 26, 14].entries())
    fillBox(canvas, width - 80, 36 + place * 12, size, 8, place === 0 ? lead : ink);
  const heading = bold(32, ink);
  for (const [at, text] of wrapText(title, width - 160, 2, heading).entries())
    drawText(canvas, text, 40, 62 + at * 38, heading);
  const scale = scaleOf(drawing);
  drawAxes(canvas, drawing, scale);
  for (const { y, text } of drawing.levels ?? []) {
    fillBox(canvas, plot.left, scale.y(y), plot.right - plot.left, 2, lead);
    drawText(canvas, text, plot.left + 8, scale.y(y) - 6, regular(20, lead));
  }
  for (const curve of drawing.curves) drawCurve(canvas, curve, scale);
  drawNames(canvas, drawing.curves, scale);
  if (drawing.limit !== null) {
    const x = scale.x(drawing.limit.at);
    fillBox(canvas, x, plot.top, 2, plot.bottom - plot.top, lead);
    drawText(canvas, drawing.limit.text, x + 8, plot.top + 14, regular(20, lead));
  }
  const small = regular(18, muted);
  const stated = fitText(source, width - 80, small);
  drawText(canvas, stated, 40, height - 16, small);
  drawLegend(canvas, drawing, 70 + measureText(stated, small));
  return toPng(canvas);
}
