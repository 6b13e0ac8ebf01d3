import { formatLoad } from '@inferboard/core/load';
import { line } from 'd3-shape';
import { type Axis, chosenAxis } from '../charts/axis.ts';
import { type SeriesMark, seriesMark } from '../charts/palette.ts';
import { formatTick, formatWithUnit } from '../lib/format.ts';
import type { Frontier } from '../lib/whole-answers.ts';
import { engineText, gpuText, quantizationText, systemTitle } from '../lib/words.ts';
import type { AxisChoice } from './axes.ts';
import { type Label, placeLabels } from './labels.ts';
import { type Reached, reachedAt } from './limit.ts';
import { type ColourFact, changedState, type ExplorerState, stateHref } from './state.ts';

type Measured = Frontier['data'][number];

export interface PlottedPoint {
  key: string;
  x: number;
  y: number;
  at: { x: number; y: number };
  /** What was measured there, in words. */
  detail: string;
  xText: string;
  yText: string;
  /** Path of the bars of its intervals; null without any. */
  error: string | null;
  /** The page of its system. */
  href: string;
  system: string;
}

export interface PlottedCurve {
  name: string;
  mark: SeriesMark;
  path: string;
  points: PlottedPoint[];
  /** Null where another curve of the same name has it. */
  label: Label | null;
}

export interface LegendEntry {
  name: string;
  mark: SeriesMark;
  isHidden: boolean;
  /** The state with it switched on or off. */
  toggle: string;
  /** The state with nothing else. */
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
  /** What each curve reaches at the limit, best first; null without a limit. */
  limit: { at: number; text: string; rows: LimitRow[] } | null;
  pinned: { curve: string; point: PlottedPoint } | null;
  /** Groups beyond those that are drawn. */
  others: number;
}

const [width, height] = [640, 400];
const plot = { left: 64, right: width - 14, top: 34, bottom: height - 56 };
/** Groups that colours and shapes tell apart at a glance. */
const groupsMax = 10;

const factText: Record<ColourFact, (point: Measured) => string> = {
  gpu: ({ system }) => system.gpu.title ?? system.gpu.name,
  model: ({ system }) => systemTitle(system),
  quantization: ({ system }) => quantizationText(system) ?? 'unspecified quantization',
  engine: ({ system }) => engineText(system) ?? 'unspecified engine',
};

/** What names a point in an address. */
export const keyOf = (system: string, { mode, level }: { mode: string; level: number | null }) =>
  `${system}@${mode}-${level}`;

function detailOf({ system, load }: Measured): string {
  const parts = [systemTitle(system), quantizationText(system), gpuText(system), engineText(system), formatLoad(load)];
  return parts.filter((part) => part !== null && part !== '').join(', ');
}

/** Names for single systems instead of a fact that several share, and the intervals of their points. */
export interface Naming {
  /** By the id of a system, in the order of the legend. */
  names: ReadonlyMap<string, string>;
  intervalsOf(point: Measured): { x: Interval; y: Interval };
}

type Interval = readonly [number, number] | null;

interface Group {
  name: string;
  /** Its colour and shape. */
  place: number;
  /** The points of each curve. */
  curves: Measured[][];
}

/** Points by what colours stand for, the group with the best y first, and in each group by curve. */
function groupsOf(points: readonly Measured[], { by, curves }: ExplorerState, y: AxisChoice['better']): Group[] {
  const best = (of: readonly Measured[]) => Math.max(...of.map((point) => (y === 'higher' ? point.y : -point.y)));
  return [...Map.groupBy(points, factText[by])]
    .toSorted(([a, of], [b, other]) => best(other) - best(of) || (a < b ? -1 : 1))
    .map(([name, of], place) => ({
      ...{ name, place },
      curves: curves === 'frontier' ? [of] : [...Map.groupBy(of, ({ system }) => system.id).values()],
    }));
}

/** A group for each named system, with the same colour and shape in every chart. */
function namedGroups(points: readonly Measured[], { names }: Naming): Group[] {
  return [...names].flatMap(([id, name], place) => {
    const own = points.filter(({ system }) => system.id === id);
    return own.length === 0 ? [] : [{ ...{ name, place }, curves: [own] }];
  });
}

/** Bars of the intervals around a place of the drawing. */
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

/** Draws points for a state. Null where none is left. */
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
  const xAxis = chosenAxis(
    points.map((point) => point.x),
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
  const toPoint = (point: Measured): PlottedPoint => ({
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
  });
  const isSeen = (point: PlottedPoint) => isWithin(xAxis.domain, point.x) && isWithin(yAxis.domain, point.y);
  const drawn = shown.flatMap(({ name, mark, curves }) =>
    curves.map((of, place) => {
      const sorted = of.map(toPoint).toSorted((a, b) => a.x - b.x || a.y - b.y);
      const path = pathOf(sorted) ?? '';
      return { name, mark, path, sorted, points: sorted.filter(isSeen), hasLabel: place === 0 };
    }),
  );
  const labelled = drawn.filter(({ hasLabel, points: of }) => hasLabel && of.length > 0);
  const labels = placeLabels(
    labelled.map(({ name, points: of }) => ({ name, x: of.at(-1)?.at.x ?? plot.left, y: of.at(-1)?.at.y ?? plot.top })),
    plot,
  );
  const labelOf = new Map(labelled.map((curve, place) => [curve, labels[place] ?? null]));
  const { limit } = state;
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
    curves: drawn.map((curve) => ({
      ...{ name: curve.name, mark: curve.mark, path: curve.path, points: curve.points },
      // A legend of single systems stands right above its chart.
      label: naming === null ? (labelOf.get(curve) ?? null) : null,
    })),
    legend: groups.map(({ name, mark }) => ({
      name,
      mark,
      isHidden: state.hidden.includes(name),
      toggle: stateHref(changedState(state, { hidden: toggled(name) })),
      only: stateHref(changedState(state, { hidden: hiddenBut(name) })),
    })),
    limit:
      limit === null
        ? null
        : {
            at: xAxis.at(limit),
            text: formatWithUnit(limit, x.unit),
            rows: drawn.flatMap(rowOf).toSorted((a, b) => (y.better === 'higher' ? b.y - a.y : a.y - b.y)),
          },
    pinned: pinned[0] ?? null,
    others: all.length - groups.length,
  };
}
