import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { type Axis, paretoFrontier } from '../series/pareto.ts';
import { firstPlaces } from './best-rows.ts';
import { chooseDefinitions, comparableCodes } from './formulas.ts';
import type { PointTable } from './point-table.ts';
import { askedRows, limitsOf, standingTests } from './row-filter.ts';
import { listRows, rowsMarked, rowsOfAll } from './row-set.ts';
import { rowsOfWords, rowsWith } from './table-sets.ts';

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

/** Places looked at before those that others beat are dropped. */
const bufferPlaces = 512;

/** Turned so that more is better on both axes. */
interface Turned {
  xs: Float64Array;
  ys: Float64Array;
}

/** The places that no other beats, without sorting all of them. */
function frontierOf({ xs, ys }: Turned): Set<number> {
  const axes = [xs, ys].map((of): Axis<number> => ({ of: (place) => of[place] as number, better: 'higher' }));
  let kept: number[] = [];
  let buffer: number[] = [];
  /** The frontier so far, as stairs that descend in x: of those beyond an x the last is the best by y. */
  let [stairsX, stairsY] = [new Float64Array(), new Float64Array()];
  const drop = () => {
    kept = paretoFrontier([...kept, ...buffer], axes as [Axis<number>, Axis<number>]);
    buffer = [];
    const stairs = kept.toSorted((a, b) => (xs[b] as number) - (xs[a] as number));
    stairsX = Float64Array.from(stairs, (place) => xs[place] as number);
    stairsY = Float64Array.from(stairs, (place) => ys[place] as number);
  };
  for (let place = 0; place < xs.length; place += 1) {
    const [x, y] = [xs[place] as number, ys[place] as number];
    let from = 0;
    let to = stairsX.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((stairsX[middle] as number) > x) from = middle + 1;
      else to = middle;
    }
    if (from > 0 && (stairsY[from - 1] as number) > y) continue;
    buffer.push(place);
    if (buffer.length === bufferPlaces) drop();
  }
  drop();
  return new Set(kept);
}

/** The formulas of one figure that are compared: the preferred of those that are there. */
function sideOf(table: PointTable, metric: Metric, rows: Int32Array) {
  const { codes, ids } = table.definitions(metric.family.base);
  const present = new Uint8Array(256);
  if (metric.family.definitions.some(({ id }) => ids.includes(id))) {
    for (let at = 0; at < rows.length; at += 1) present[codes[rows[at] as number] as number] = 1;
  }
  const chosen = chooseDefinitions(metric, (id) => present[ids.indexOf(id)] === 1);
  return { codes, group: chosen?.group ?? null, isComparable: comparableCodes(ids, chosen) };
}

type Side = ReturnType<typeof sideOf>;

/** Each point's first row that is compared by both figures, and how many points there are at all. */
function compareRows({ pointId, status }: PointTable, rows: Int32Array, [ofX, ofY]: [Side, Side]) {
  const compared = new Int32Array(rows.length);
  let [count, pointsInAll, before, taken] = [0, 0, -1, -1];
  const isSamePoint = (a: number, b: number) => a !== -1 && pointId[a] === pointId[b] && status[a] === status[b];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    if (!isSamePoint(before, row)) pointsInAll += 1;
    before = row;
    if (ofX.isComparable[ofX.codes[row] as number] === 0 || ofY.isComparable[ofY.codes[row] as number] === 0) continue;
    if (isSamePoint(taken, row)) continue;
    compared[count] = row;
    count += 1;
    taken = row;
  }
  return { points: compared.subarray(0, count), pointsInAll };
}

/** The values of rows, turned so that more is better. */
function turnedValues(table: PointTable, { name, family }: Metric, rows: Int32Array): Float64Array {
  const values = table.values(name);
  const turn = family.direction === 'lower' ? -1 : 1;
  const turned = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) turned[at] = turn * (values[rows[at] as number] as number);
  return turned;
}

/**
 * Points by two figures, with those that no other beats on both. Each point enters once, by the formula preferred of
 * those that are compared; values made by others are left out and counted. O(rows of the table).
 */
export function findFrontier(table: PointTable, question: FrontierQuestion, othersMax: number): Frontier {
  const { x, y, filters, sent } = question;
  const standing = standingTests(filters);
  const set = rowsOfAll(
    askedRows(table, x.family.kind, filters),
    rowsOfWords(table, 'status', standing.status),
    rowsOfWords(table, 'trust', standing.trust),
    rowsWith(table, x.name),
    rowsWith(table, y.name),
    ...(sent === null ? [] : [rowsMarked(sent, table.length)]),
  );
  const rows = listRows({ set, limits: limitsOf(table, filters) });
  const [ofX, ofY] = [sideOf(table, x, rows), sideOf(table, y, rows)];
  const { points, pointsInAll } = compareRows(table, rows, [ofX, ofY]);

  const ys = turnedValues(table, y, points);
  const frontier = frontierOf({ xs: turnedValues(table, x, points), ys });
  // Rows are in order, and so are their places.
  const others = firstPlaces(
    { worth: ys, isBefore: (a, b) => a < b, isAsked: (place) => !frontier.has(place) },
    othersMax,
  );
  const [valuesX, valuesY] = [table.values(x.name), table.values(y.name)];
  const shown = [...frontier, ...others]
    .map((place) => ({ row: points[place] as number, isOnFrontier: frontier.has(place) }))
    .sort(
      ({ row: a }, { row: b }) =>
        (valuesX[a] as number) - (valuesX[b] as number) ||
        (valuesY[a] as number) - (valuesY[b] as number) ||
        (table.pointId[a] as number) - (table.pointId[b] as number),
    );
  return {
    shown,
    xGroup: ofX.group,
    yGroup: ofY.group,
    excluded: {
      other_definition: pointsInAll - points.length,
      beyond_limit: Math.max(0, points.length - frontier.size - othersMax),
    },
  };
}
