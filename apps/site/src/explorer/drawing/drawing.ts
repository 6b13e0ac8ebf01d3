import { line } from 'd3-shape';
import { type Axis, chosenAxis } from '../../charts/axis.ts';
import { type SeriesMark, seriesMark } from '../../charts/palette.ts';
import type { PublishedSource } from '../../features/system/data/published-source.ts';
import { distinctSources } from '../../features/system/data/system-sources.ts';
import { formatTick, formatWithUnit } from '../../lib/format.ts';
import type { AxisChoice } from '../axes.ts';
import {
  detailOf,
  groupsOf,
  type Interval,
  keyOf,
  type Measured,
  type Naming,
  namedGroups,
  onCurve,
} from '../groups.ts';
import { changedState, type ExplorerState, stateHref } from '../state.ts';
import { type Label, lineLabel, placeLabels } from './labels.ts';
import { type Reached, reachedAt } from './limit.ts';

export interface PlottedPoint {
  key: string;
  x: number;
  y: number;
  at: { x: number; y: number };
  /** Description of the measurement. */
  detail: string;
  xText: string;
  yText: string;
  /** False for a point that another point of its group beats. */
  isOnCurve: boolean;
  /** Path of the interval bars; null without intervals. */
  error: string | null;
  /** URL of its system. */
  href: string;
  system: string;
  /** Publications of its results. */
  sources: readonly PublishedSource[];
}

export interface PlottedCurve {
  name: string;
  mark: SeriesMark;
  path: string;
  points: PlottedPoint[];
  /** Null if another curve of the same name has the label, or if there is no room. */
  label: Label | null;
}

export interface LegendEntry {
  name: string;
  mark: SeriesMark;
  isHidden: boolean;
  /** The state with this entry toggled. */
  toggle: string;
  /** The state with only this entry. */
  only: string;
}

export interface LimitRow {
  name: string;
  yText: string;
  isInterpolated: boolean;
  between: readonly PlottedPoint[];
}

export interface Drawing {
  width: number;
  height: number;
  plot: typeof plot;
  xAxis: Axis;
  yAxis: Axis;
  xTitle: string;
  yTitle: string;
  curves: PlottedCurve[];
  legend: LegendEntry[];
  /** The value of each curve at the limit, best first; null without a limit. */
  limit: { at: number; text: string; label: Omit<Label, 'markAt'>; rows: LimitRow[] } | null;
  pinned: { curve: string; point: PlottedPoint } | null;
  /** Number of groups that are not drawn. */
  others: number;
  /** Number of points within the axes that are not drawn: more would be too large for a page. */
  leftOut: number;
}

const [width, height] = [640, 400];
const plot = { left: 64, right: width - 14, top: 34, bottom: height - 56 };
/** Maximum number of groups that readers can distinguish by colour and shape. */
const groupsMax = 10;
/** Maximum number of points that are not on a curve, to limit the size of the page. */
const offCurveMax = 300;

/** Interval bars around a position. */
function errorOf(
  { x, y }: { x: Interval; y: Interval },
  [xAxis, yAxis]: readonly [Axis, Axis],
  at: { x: number; y: number },
) {
  const ends = (interval: Interval, axis: Axis) =>
    interval === null || interval[0] === interval[1]
      ? null
      : interval.map((end) => axis.at(Math.min(Math.max(end, axis.domain[0]), axis.domain[1])));
  const [across, up] = [ends(x, xAxis), ends(y, yAxis)];
  const path = `${across === null ? '' : `M${across[0]} ${at.y}H${across[1]}`}${up === null ? '' : `M${at.x} ${up[0]}V${up[1]}`}`;
  return path === '' ? null : path;
}

const titleOf = ({ title, unit }: AxisChoice, { isLog }: Axis) =>
  `${title}${unit === '' ? '' : `, ${unit}`}${isLog ? ' (log scale)' : ''}`;

const pathOf = line<PlottedPoint>(
  ({ at }) => at.x,
  ({ at }) => at.y,
).defined(({ at }) => Number.isFinite(at.x) && Number.isFinite(at.y));

const isWithin = ([low, high]: readonly [number, number], value: number) => value >= low && value <= high;

/** Draws the points of a state. Null if no point is left. */
export function drawExplorer(
  measured: readonly Measured[],
  state: ExplorerState,
  [x, y]: readonly [AxisChoice, AxisChoice],
  naming: Naming | null = null,
): Drawing | null {
  const all = naming === null ? groupsOf(measured, state, y.better) : namedGroups(measured, naming);
  const groups = all.slice(0, groupsMax).map((group) => ({ ...group, mark: seriesMark(group.place) }));
  const shown = groups.filter(({ name }) => !state.hidden.includes(name));
  const points = (shown.length === 0 ? groups : shown).flatMap(({ curves }) => curves.flat());
  if (points.length === 0) return null;
  const { limit } = state;
  const xAxis = chosenAxis(
    // Without a zoom, the axis includes the limit, so that the line is at its value.
    [...points.map((point) => point.x), ...(limit !== null && limit > 0 ? [limit] : [])],
    [plot.left, plot.right],
    formatTick,
    { scale: state.xScale, part: state.zoom?.x ?? null },
  );
  const yAxis = chosenAxis(
    points.map((point) => point.y),
    [plot.bottom, plot.top],
    formatTick,
    { scale: state.yScale, part: state.zoom?.y ?? null },
  );
  const placed = (point: Measured) => ({ x: xAxis.at(point.x), y: yAxis.at(point.y) });
  const toPoint = (point: Measured, isOnCurve: boolean): PlottedPoint => ({
    isOnCurve,
    error: naming && errorOf(naming.intervalsOf(point), [xAxis, yAxis], placed(point)),
    ...{
      key: keyOf(point.system.id, point.load),
      x: point.x,
      y: point.y,
      detail: detailOf(point),
      system: point.system.id,
    },
    at: placed(point),
    ...{ xText: formatWithUnit(point.x, x.unit), yText: formatWithUnit(point.y, y.unit) },
    href: `/systems/${point.system.id}`,
    sources: distinctSources(point.sources),
  });
  const isSeen = (point: PlottedPoint) => isWithin(xAxis.domain, point.x) && isWithin(yAxis.domain, point.y);
  const placedCurves = shown.flatMap(({ name, mark, curves }) =>
    curves.map((of, place) => {
      const best = onCurve(of, state.curves, [x, y]);
      const kept = state.curves === 'points' ? of : of.filter((point) => best.has(point));
      const sorted = kept.map((point) => toPoint(point, best.has(point))).toSorted((a, b) => a.x - b.x || a.y - b.y);
      const path = pathOf(sorted.filter(({ isOnCurve }) => isOnCurve)) ?? '';
      return { name, mark, path, sorted, hasLabel: place === 0 };
    }),
  );
  const off = placedCurves
    .flatMap(({ sorted }) => sorted.filter((point) => isSeen(point) && !point.isOnCurve))
    .toSorted((a, b) => (y.better === 'higher' ? b.y - a.y : a.y - b.y));
  const drawnOff = new Set(off.slice(0, offCurveMax));
  const drawn = placedCurves.map((curve) => ({
    ...curve,
    points: curve.sorted.filter((point) => isSeen(point) && (point.isOnCurve || drawnOff.has(point))),
  }));
  const limitText = limit === null ? '' : formatWithUnit(limit, x.unit);
  const limitAt = limit === null ? null : xAxis.at(limit);
  const limitLabel = limitAt === null ? null : lineLabel(limitAt, limitText, plot);
  const labels = placeLabels(
    drawn.map(({ name, hasLabel, points: of }) => ({
      name: hasLabel ? name : null,
      places: of.filter(({ isOnCurve }) => isOnCurve).map(({ at }) => at),
    })),
    plot,
    limitLabel === null ? [] : [limitLabel.box],
  );
  const rowOf = ({ name, sorted }: (typeof drawn)[number]): (LimitRow & { y: number })[] => {
    if (limit === null) return [];
    const interpolates = state.curves === 'systems';
    const reached: Reached<PlottedPoint> | null = reachedAt(sorted, { limit, x: x.better, y: y.better, interpolates });
    if (reached === null) return [];
    const { between } = reached;
    return [
      { name, y: reached.y, yText: formatWithUnit(reached.y, y.unit), isInterpolated: between.length === 2, between },
    ];
  };
  const hiddenBut = (name: string) => groups.map((group) => group.name).filter((other) => other !== name);
  const toggled = (name: string) =>
    state.hidden.includes(name) ? state.hidden.filter((other) => other !== name) : [...state.hidden, name];
  const pinned = drawn.flatMap(({ name, sorted }) =>
    sorted.filter(({ key }) => key === state.pin).map((point) => ({ curve: name, point })),
  );
  return {
    ...{ width, height, plot, xAxis, yAxis },
    ...{ xTitle: titleOf(x, xAxis), yTitle: titleOf(y, yAxis) },
    curves: drawn.map(({ name, mark, path, points: of }, place) => ({
      ...{ name, mark, path, points: of },
      label: labels[place] ?? null,
    })),
    legend: groups.map(({ name, mark }) => ({
      name,
      mark,
      isHidden: state.hidden.includes(name),
      toggle: stateHref(changedState(state, { hidden: toggled(name) })),
      only: stateHref(changedState(state, { hidden: hiddenBut(name) })),
    })),
    limit:
      limitAt === null || limitLabel === null
        ? null
        : {
            ...{ at: limitAt, text: limitText, label: limitLabel.label },
            rows: drawn.flatMap(rowOf).toSorted((a, b) => (y.better === 'higher' ? b.y - a.y : a.y - b.y)),
          },
    pinned: pinned[0] ?? null,
    others: all.length - groups.length,
    leftOut: off.length - drawnOff.size,
  };
}

/** The legend of a file: the drawn groups whose name is not next to a curve. */
export function unlabelled({
  curves,
}: {
  curves: readonly { name: string; mark: SeriesMark; points: readonly unknown[]; label: unknown }[];
}): { name: string; mark: SeriesMark }[] {
  const labelled = new Set(curves.flatMap(({ name, label }) => (label === null ? [] : [name])));
  const others = curves.filter(({ name, points }) => points.length > 0 && !labelled.has(name));
  return [...new Map(others.map(({ name, mark }) => [name, { name, mark }])).values()];
}
