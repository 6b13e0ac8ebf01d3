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

/** Of each GPU the points that no other of its points beats on both, from the slowest user to the fastest. */
function bestOf(points: readonly CurvePoint[]): CurvePoint[] {
  const kept = paretoFrontier(points, [
    { of: ({ x }) => x, better: 'higher' },
    { of: ({ y }) => y, better: 'higher' },
  ]);
  return kept.toSorted((a, b) => a.x - b.x || b.y - a.y);
}

/** Labels at the beginning of their curves, moved apart where they would cover each other. */
function placeLabels(curves: readonly Omit<Curve, 'label'>[]): Curve[] {
  const taken: { left: number; right: number; y: number }[] = [];
  return curves.map((curve) => {
    const [first] = curve.points;
    const [x, y] = first === undefined ? [plot.left, plot.top] : [first.at.x, first.at.y];
    const size = curve.gpu.length * letterWidth;
    const fitsRight = x + 8 + size <= plot.right;
    const left = fitsRight ? x + 8 : x - 8 - size;
    const isFree = (at: number) =>
      at > plot.top - 8 &&
      at < plot.bottom - 2 &&
      taken.every((box) => Math.abs(box.y - at) >= labelHeight || left > box.right || left + size < box.left);
    const steps = Array.from({ length: 24 }, (_, step) => Math.ceil(step / 2) * (step % 2 === 0 ? 1 : -1));
    const at = steps.map((step) => y - 6 + step * labelHeight).find(isFree) ?? y - 6;
    taken.push({ left, right: left + size, y: at });
    const anchor = fitsRight ? ('start' as const) : ('end' as const);
    return { ...curve, label: { x: round(fitsRight ? left : left + size), y: round(at), anchor } };
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
