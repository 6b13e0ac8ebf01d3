import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { type Axis, paretoFrontier } from '../series/pareto.ts';
import { firstRows } from './best-rows.ts';
import { chooseDefinitions, comparableCodes } from './census.ts';
import type { PointTable } from './point-table.ts';
import { askedRows, boundTest, standingTests } from './row-filter.ts';
import { RowList } from './row-list.ts';

export interface FrontierQuestion {
  x: Metric;
  y: Metric;
  filters: Filters;
  /** As in a census. */
  sent: Uint8Array | null;
}

export interface Frontier {
  /** By x, then y, then point: the whole frontier, and of the others the best by y. */
  shown: { row: number; isOnFrontier: boolean }[];
  /** The groups of definitions that are compared; null where a metric has one formula. */
  xGroup: string | null;
  yGroup: string | null;
  /** Points left out: by a formula that cannot be compared, and for room. */
  excluded: { other_definition: number; beyond_limit: number };
}

/** Rows looked at before those that others beat are dropped. */
const bufferRows = 4096;

/** True if one of a frontier beats a place on both axes. `stairs` descend on the first axis. */
function isBeaten(stairs: readonly { x: number; y: number }[], x: number, y: number): boolean {
  let from = 0;
  let to = stairs.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((stairs[middle]?.x ?? x) > x) from = middle + 1;
    else to = middle;
  }
  // The last of those beyond x is the best of them by y.
  return from > 0 && (stairs[from - 1]?.y ?? y) > y;
}

/** The rows that no other beats, without sorting all of them. */
function frontierOf(rows: Int32Array, x: Axis<number>, y: Axis<number>): Set<number> {
  const turned = ({ of, better }: Axis<number>, row: number) => (better === 'higher' ? of(row) : -of(row));
  let kept: number[] = [];
  let stairs: { x: number; y: number }[] = [];
  let buffer: number[] = [];
  const drop = () => {
    kept = paretoFrontier([...kept, ...buffer], [x, y]);
    buffer = [];
    stairs = kept.map((row) => ({ x: turned(x, row), y: turned(y, row) })).sort((a, b) => b.x - a.x);
  };
  for (const row of rows) {
    if (isBeaten(stairs, turned(x, row), turned(y, row))) continue;
    buffer.push(row);
    if (buffer.length === bufferRows) drop();
  }
  drop();
  return new Set(kept);
}

/** The formulas of one figure that are compared: the preferred of those that are there. */
function sideOf(table: PointTable, metric: Metric, rows: Int32Array) {
  const { codes, ids } = table.definitions(metric.family.base);
  const present = new Uint8Array(ids.length);
  for (const row of rows) present[codes[row] as number] = 1;
  const chosen = chooseDefinitions(metric, new Set(ids.filter((_, code) => present[code] === 1)));
  return { codes, group: chosen?.group ?? null, isComparable: comparableCodes(ids, chosen) };
}

/**
 * Points by two figures, with those that no other beats on both. Each point enters once, by the formula preferred of
 * those that are compared; values made by others are left out and counted. O(rows of the table).
 */
export function findFrontier(table: PointTable, question: FrontierQuestion, othersMax: number): Frontier {
  const { x, y, filters, sent } = question;
  const [xs, ys] = [table.values(x.name), table.values(y.name)];
  const standing = standingTests(filters);
  const meetsBounds = boundTest(table, filters);
  const all = new RowList();
  const { status, trust } = table;
  for (const row of askedRows(table, x.family.kind, filters)) {
    if (standing.status[status[row] as number] === 0) continue;
    if (Number.isNaN(xs[row] as number) || Number.isNaN(ys[row] as number)) continue;
    if (standing.trust[trust[row] as number] === 0 || (sent !== null && sent[row] === 0)) continue;
    if (meetsBounds(row)) all.push(row);
  }
  const rows = all.all();
  const [ofX, ofY] = [sideOf(table, x, rows), sideOf(table, y, rows)];

  /** Each point's first row that is compared, and how many points there are at all. */
  const compared = new RowList();
  let pointsInAll = 0;
  let before = -1;
  let taken = -1;
  const isSamePoint = (a: number, b: number) =>
    a !== -1 && table.pointId[a] === table.pointId[b] && status[a] === status[b];
  for (const row of rows) {
    if (!isSamePoint(before, row)) pointsInAll += 1;
    before = row;
    if (ofX.isComparable[ofX.codes[row] as number] === 0 || ofY.isComparable[ofY.codes[row] as number] === 0) continue;
    if (isSamePoint(taken, row)) continue;
    compared.push(row);
    taken = row;
  }
  const points = compared.all();

  const axis = (metric: Metric, values: Float64Array): Axis<number> => ({
    of: (row) => values[row] as number,
    better: metric.family.direction === 'lower' ? 'lower' : 'higher',
  });
  const yAxis = axis(y, ys);
  const frontier = frontierOf(points, axis(x, xs), yAxis);
  const turn = yAxis.better === 'higher' ? 1 : -1;
  const isBefore = (a: number, b: number) => {
    const apart = turn * (yAxis.of(b) - yAxis.of(a));
    return apart === 0 ? a < b : apart < 0;
  };
  const others = new RowList();
  for (const row of points) if (!frontier.has(row)) others.push(row);
  const shown = [...frontier, ...firstRows(others.all(), isBefore, othersMax)].sort(
    (a, b) =>
      (xs[a] as number) - (xs[b] as number) ||
      (ys[a] as number) - (ys[b] as number) ||
      (table.pointId[a] as number) - (table.pointId[b] as number),
  );
  return {
    shown: shown.map((row) => ({ row, isOnFrontier: frontier.has(row) })),
    xGroup: ofX.group,
    yGroup: ofY.group,
    excluded: {
      other_definition: pointsInAll - points.length,
      beyond_limit: Math.max(0, others.length - othersMax),
    },
  };
}
