import { paretoFrontier } from '@inferboard/core/series/pareto';
import { formatPlural, formatTick } from '../lib/format.ts';
import type { PublishedSource } from '../lib/published-source.ts';
import { spreadAxis } from './axis.ts';

/** One of the two figures that points are set against each other by. */
export interface ParetoSide {
  title: string;
  unit: string;
  better: 'higher' | 'lower';
}

/** A row of a board as the chart draws it. */
export interface ParetoPoint {
  name: string;
  /** Where and how it was measured. */
  detail: string;
  x: number;
  y: number;
  /** The figures as text, with units. */
  xText: string;
  yText: string;
  n: string;
  href: string;
  /** Where it was published; null where nobody imported it. */
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
  /** Along the points that no other beats: beyond it there is nothing. */
  frontier: string;
  /** In the order given; those of the frontier last in drawing, so that none hides them. */
  marks: { x: number; y: number; isOnFrontier: boolean; title: string }[];
  labels: { x: number; y: number; anchor: 'start' | 'end'; text: string }[];
  table: (ParetoPoint & { isOnFrontier: boolean })[];
}

const width = 440;
const height = 316;
const plot = { left: 54, right: width - 16, top: 30, bottom: height - 46 };

/** Width of a letter of a label and height of its line, about. */
const [letter, line] = [7, 14];
const labelMax = 30;

const sideText = ({ title, unit, better }: ParetoSide, isLog: boolean) =>
  `${title}${unit === '' ? '' : `, ${unit}`}, ${better} is better${isLog ? ' (log scale)' : ''}`;

const shorten = (text: string) => (text.length <= labelMax ? text : `${text.slice(0, labelMax - 1).trimEnd()}…`);

/** Names beside their points, as many as stand clear of each other and of the plot's edges. */
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

/** The border of what is beaten: straight down where more of x is better, straight across where less is. */
function frontierPath(points: readonly { x: number; y: number }[], better: ParetoSide['better']): string {
  const [first, ...others] = points.toSorted((a, b) => a.x - b.x || (better === 'higher' ? b.y - a.y : a.y - b.y));
  if (first === undefined) return '';
  return `M${first.x} ${first.y}${others.map(({ x, y }) => (better === 'higher' ? `V${y}H${x}` : `H${x}V${y}`)).join('')}`;
}

/** Geometry of a chart of two figures with its frontier. Needs at least one point. */
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
    description: `${formatPlural(points.length, 'row')} of the table by ${y.title} and ${x.title}; ${kept.size} of them ${kept.size === 1 ? 'is' : 'are'} on the frontier: no other row is at least as good on both and better on one. The figures stand in the table below the chart.`,
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
