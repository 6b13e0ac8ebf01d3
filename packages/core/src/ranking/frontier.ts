import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { type Axis, paretoFrontier } from '../series/pareto.ts';
import { firstRows } from './best-rows.ts';
import { chooseDefinitions, comparableCodes } from './census.ts';
import { goneStatus, type PointTable } from './point-table.ts';
import { boundTest, rowFilter, standingTests } from './row-filter.ts';
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

/** The rows of a list whose point and standing the row before is not of. */
function oncePerPoint({ pointId, status }: PointTable, rows: Int32Array): Int32Array {
  return rows.filter((row, place) => {
    const before = rows[place - 1];
    return before === undefined || pointId[before] !== pointId[row] || status[before] !== status[row];
  });
}

/**
 * Points by two figures, with those that no other beats on both. Each point enters once, by the formula preferred of
 * those that are compared; values made by others are left out and counted. O(rows of the table).
 */
export function findFrontier(table: PointTable, question: FrontierQuestion, othersMax: number): Frontier {
  const { x, y, filters, sent } = question;
  const [xs, ys] = [table.values(x.name), table.values(y.name)];
  const isAsked = rowFilter(table, x.family.kind, filters);
  const standing = standingTests(filters);
  const meetsBounds = boundTest(table, filters);
  const all = new RowList();
  for (let row = 0; row < table.length; row += 1) {
    const status = table.status[row] as number;
    if (status === goneStatus || standing.status[status] === 0 || Number.isNaN(xs[row]) || Number.isNaN(ys[row]))
      continue;
    if (standing.trust[table.trust[row] as number] === 0 || (sent !== null && sent[row] === 0)) continue;
    if (isAsked(row) && meetsBounds(row)) all.push(row);
  }
  const rows = all.all();
  const sides = [x, y].map((metric) => {
    const { codes, ids } = table.definitions(metric.family.base);
    const present = new Set<number>();
    for (const row of rows) present.add(codes[row] as number);
    const chosen = chooseDefinitions(metric, new Set([...present].map((code) => ids[code] ?? '')));
    return { codes, group: chosen?.group ?? null, isComparable: comparableCodes(ids, chosen) };
  });
  const compared = rows.filter((row) =>
    sides.every(({ codes, isComparable }) => isComparable[codes[row] as number] === 1),
  );
  const points = oncePerPoint(table, compared);

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
  const others = points.filter((row) => !frontier.has(row));
  const shown = [...frontier, ...firstRows(others, isBefore, othersMax)].sort(
    (a, b) =>
      (xs[a] as number) - (xs[b] as number) ||
      (ys[a] as number) - (ys[b] as number) ||
      (table.pointId[a] as number) - (table.pointId[b] as number),
  );
  return {
    shown: shown.map((row) => ({ row, isOnFrontier: frontier.has(row) })),
    xGroup: sides[0]?.group ?? null,
    yGroup: sides[1]?.group ?? null,
    excluded: {
      other_definition: oncePerPoint(table, rows).length - points.length,
      beyond_limit: Math.max(0, others.length - othersMax),
    },
  };
}
