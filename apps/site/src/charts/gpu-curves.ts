import { paretoFrontier } from '@inferboard/core/series/pareto';
import { line } from 'd3-shape';
import { formatTick } from '../lib/format.ts';
import { type Axis, round, spreadAxis } from './axis.ts';
import { type SeriesMark, seriesMark } from './palette.ts';

/** A measured point of a GPU: how fast one user is served, and how much the GPU puts out. */
export interface CurvePoint {
  gpu: string;
  x: number;
  y: number;
  /** What was measured there, in words. */
  detail: string;
  xText: string;
  yText: string;
  href: string;
}

interface Mark extends CurvePoint {
  at: { x: number; y: number };
}

interface Curve {
  gpu: string;
  mark: SeriesMark;
  path: string;
  points: Mark[];
  label: { x: number; y: number; anchor: 'start' | 'end' };
}

export interface GpuCurves {
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: Axis['ticks'];
  yTicks: Axis['ticks'];
  curves: Curve[];
  /** GPUs beyond those that are drawn. */
  others: number;
}

const width = 480;
const height = 340;
const plot = { left: 56, right: width - 12, top: 34, bottom: height - 50 };

/** Curves that can be told apart. */
const curvesMax = 8;
const labelHeight = 13;
const letterWidth = 6.6;
/** Of the mark that stands between a name and its point. */
export const markWidth = 13;

/** Of each GPU the points that no other of its points beats on both, from the slowest user to the fastest. */
function bestOf(points: readonly CurvePoint[]): CurvePoint[] {
  const kept = paretoFrontier(points, [
    { of: ({ x }) => x, better: 'higher' },
    { of: ({ y }) => y, better: 'higher' },
  ]);
  return kept.toSorted((a, b) => a.x - b.x || b.y - a.y);
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const isApart = (a: Box, b: Box) => a.left > b.right || a.right < b.left || a.top > b.bottom || a.bottom < b.top;
const markSize = 5;
const boxOf = ({ at }: Mark): Box => ({
  ...{ left: at.x - markSize, right: at.x + markSize },
  ...{ top: at.y - markSize, bottom: at.y + markSize },
});

/** A name beside a point of its curve, `step` lines above or below it. */
function placeAt({ at }: Mark, size: number, step: number, anchor: 'start' | 'end'): Box & Curve['label'] {
  const x = anchor === 'start' ? at.x + 9 : at.x - 9;
  const y = at.y + 4 + step * labelHeight;
  const left = anchor === 'start' ? x : x - size;
  return { x: round(x), y: round(y), anchor, left, right: left + size, top: y - labelHeight + 3, bottom: y + 3 };
}

/** Points and, between them, the line of a curve: what a name should not cover. */
function inkOf({ points }: Omit<Curve, 'label'>): Box[] {
  const pieces = 12;
  const lines = points.slice(1).flatMap((to, at) => {
    const from = points[at] ?? to;
    return Array.from({ length: pieces }, (_, piece): Box => {
      const share = piece / pieces;
      const [x, y] = [from.at.x + share * (to.at.x - from.at.x), from.at.y + share * (to.at.y - from.at.y)];
      return { left: x - 1, right: x + 1, top: y - 1, bottom: y + 1 };
    });
  });
  return [...points.map(boxOf), ...lines];
}

/** Lines between a name and its point, the nearest first. */
const steps = [0, -1, 1, -2, 2];

/** Names beside the points of their curves, where they cover neither a curve nor another name. */
function placeLabels(curves: readonly Omit<Curve, 'label'>[]): Curve[] {
  const ink = curves.flatMap(inkOf);
  const names: Box[] = [];
  const isInside = ({ left, right, top, bottom }: Box) =>
    left >= plot.left && right <= plot.right && top >= plot.top - labelHeight && bottom <= plot.bottom;
  return curves.map((curve) => {
    const size = markWidth + curve.gpu.length * letterWidth;
    const places = steps
      .flatMap((step) =>
        curve.points.flatMap((point) => [placeAt(point, size, step, 'start'), placeAt(point, size, step, 'end')]),
      )
      .filter(isInside);
    const isFree = (place: Box, boxes: readonly Box[]) => boxes.every((box) => isApart(place, box));
    const { x, y, anchor, ...box } = places.find((place) => isFree(place, names) && isFree(place, ink)) ??
      places.find((place) => isFree(place, names)) ??
      places[0] ?? { x: plot.left, y: plot.top, anchor: 'start' as const, left: 0, right: 0, top: 0, bottom: 0 };
    names.push(box);
    return { ...curve, label: { x, y, anchor } };
  });
}

/**
 * A curve for each GPU through the points that no other of its points beats. The GPUs with the highest points are drawn;
 * null where fewer than two have a point.
 */
export function gpuCurves(
  points: readonly CurvePoint[],
  titles: { x: string; y: string; xUnit: string; yUnit: string },
): GpuCurves | null {
  const all = [...Map.groupBy(points, ({ gpu }) => gpu)]
    .map(([gpu, of]) => ({ gpu, of: bestOf(of) }))
    .toSorted((a, b) => (b.of[0]?.y ?? 0) - (a.of[0]?.y ?? 0) || (a.gpu < b.gpu ? -1 : 1));
  if (all.length < 2) return null;
  const drawn = all.slice(0, curvesMax);
  const shown = drawn.flatMap(({ of }) => of);
  const across = spreadAxis(
    shown.map(({ x }) => x),
    [plot.left, plot.right],
    formatTick,
  );
  const up = spreadAxis(
    shown.map(({ y }) => y),
    [plot.bottom, plot.top],
    formatTick,
  );
  const curves = drawn.map(({ gpu, of }, place) => {
    const marks = of.map((point) => ({ ...point, at: { x: across.at(point.x), y: up.at(point.y) } }));
    const path =
      line<Mark>(
        ({ at }) => at.x,
        ({ at }) => at.y,
      )(marks) ?? '';
    return { gpu, mark: seriesMark(place), path, points: marks };
  });
  const titleOf = (title: string, unit: string, { isLog }: Axis) => `${title}, ${unit}${isLog ? ' (log scale)' : ''}`;
  return {
    ...{ width, height, plot },
    xTitle: titleOf(titles.x, titles.xUnit, across),
    yTitle: titleOf(titles.y, titles.yUnit, up),
    xTicks: across.ticks,
    yTicks: up.ticks,
    curves: placeLabels(curves),
    others: all.length - drawn.length,
  };
}
