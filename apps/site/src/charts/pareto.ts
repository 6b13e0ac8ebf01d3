import { paretoFrontier } from '@inferboard/core/series/pareto';
import type { PublishedSource } from '../features/system/data/published-source.ts';
import { formatPlural, formatTick } from '../lib/format.ts';
import { spreadAxis } from './axis.ts';

/** One of the two metrics of the chart. */
export interface ParetoSide {
  title: string;
  unit: string;
  better: 'higher' | 'lower';
}

/** A board row in the chart. */
export interface ParetoPoint {
  name: string;
  /** Workload and load of the measurement. */
  detail: string;
  x: number;
  y: number;
  /** Both values as text, with units. */
  xText: string;
  yText: string;
  n: string;
  href: string;
  /** The publication of the row; null if it was not imported. */
  source?: PublishedSource | null;
}

export interface ParetoChart {
  title: string;
  description: string;
  width: number;
  height: number;
  plot: { left: number; right: number; top: number; bottom: number };
  xTitle: string;
  yTitle: string;
  xTicks: { at: number; label: string }[];
  yTicks: { at: number; label: string }[];
  /** The frontier: connects the points that no other point beats. */
  frontier: string;
  /** In the given order. Frontier points are drawn last, so that no other point covers them. */
  marks: { x: number; y: number; isOnFrontier: boolean; title: string }[];
  labels: { x: number; y: number; anchor: 'start' | 'end'; text: string }[];
  table: (ParetoPoint & { isOnFrontier: boolean })[];
}

const width = 440;
const height = 316;
const plot = { left: 54, right: width - 16, top: 30, bottom: height - 46 };

/** Approximate width of a letter and height of a line of a label. */
const [letter, line] = [7, 14];
const labelMax = 30;

const sideText = ({ title, unit, better }: ParetoSide, isLog: boolean) =>
  `${title}${unit === '' ? '' : `, ${unit}`}, ${better} is better${isLog ? ' (log scale)' : ''}`;

const shorten = (text: string) => (text.length <= labelMax ? text : `${text.slice(0, labelMax - 1).trimEnd()}…`);

/** Labels next to their points, as many as fit without overlap inside the plot. */
function placeLabels(points: readonly { x: number; y: number; name: string }[]): ParetoChart['labels'] {
  const taken: { left: number; right: number; y: number }[] = [];
  return points.flatMap(({ x, y, name }) => {
    const text = shorten(name);
    const size = text.length * letter;
    const fitsRight = x + 9 + size <= plot.right;
    const left = fitsRight ? x + 9 : x - 9 - size;
    for (const lift of [-7, line - 2, -7 - line]) {
      const at = y + lift;
      const isClear = taken.every((box) => Math.abs(box.y - at) >= line || left > box.right || left + size < box.left);
      if (!isClear || at < plot.top - 4 || at > plot.bottom - 3 || left < plot.left - 6) continue;
      taken.push({ left, right: left + size, y: at });
      return [
        { x: fitsRight ? left : left + size, y: at, anchor: fitsRight ? ('start' as const) : ('end' as const), text },
      ];
    }
    return [];
  });
}

/** The edge of the beaten region: vertical if higher x is better, horizontal if lower x is better. */
function frontierPath(points: readonly { x: number; y: number }[], better: ParetoSide['better']): string {
  const [first, ...others] = points.toSorted((a, b) => a.x - b.x || (better === 'higher' ? b.y - a.y : a.y - b.y));
  if (first === undefined) return '';
  return `M${first.x} ${first.y}${others.map(({ x, y }) => (better === 'higher' ? `V${y}H${x}` : `H${x}V${y}`)).join('')}`;
}

/** Geometry of a chart of two metrics with its frontier. Needs at least one point. */
export function paretoChart(x: ParetoSide, y: ParetoSide, points: readonly ParetoPoint[]): ParetoChart {
  const kept = new Set(
    paretoFrontier(points, [
      { of: (point) => point.x, better: x.better },
      { of: (point) => point.y, better: y.better },
    ]),
  );
  const across = spreadAxis(
    points.map((point) => point.x),
    [plot.left, plot.right],
    formatTick,
  );
  const up = spreadAxis(
    points.map((point) => point.y),
    [plot.bottom, plot.top],
    formatTick,
  );
  const placed = points.map((point) => ({
    x: across.at(point.x),
    y: up.at(point.y),
    name: point.name,
    isOnFrontier: kept.has(point),
    title: `${point.name}, ${point.detail}: ${y.title} ${point.yText}, ${x.title} ${point.xText}, ${point.n}`,
  }));
  const best = placed.filter(({ isOnFrontier }) => isOnFrontier);
  const marks = [...placed.filter(({ isOnFrontier }) => !isOnFrontier), ...best];
  return {
    title: `${y.title} against ${x.title}`,
    description: `${formatPlural(points.length, 'row')} of the table by ${y.title} and ${x.title}. ${kept.size} of them ${kept.size === 1 ? 'is' : 'are'} on the frontier: no other row is at least as good on both and better on one. The values are in the table below the chart.`,
    ...{ width, height, plot },
    xTitle: sideText(x, across.isLog),
    yTitle: sideText(y, up.isLog),
    xTicks: across.ticks,
    yTicks: up.ticks,
    frontier: frontierPath(best, x.better),
    marks: marks.map(({ name: _, ...mark }) => mark),
    labels: placeLabels(best),
    table: points.map((point) => ({ ...point, isOnFrontier: kept.has(point) })),
  };
}
