import type { Metric } from '../metrics/index.ts';
import { type Axis, paretoFrontier } from '../series/pareto.ts';
import { firstPlaces } from './best-rows.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { Choice } from './choice.ts';
import type { PointTable } from './point-table.ts';
import { numberedTest } from './row-filter.ts';
import { listRows } from './row-set.ts';

export interface FrontierQuestion extends Omit<CensusQuestion, 'kind' | 'metrics' | 'dimensions'> {
  x: Metric;
  y: Metric;
}

export interface Frontier {
  /** By x, then y, then point: the whole frontier, and of the others the best by y. */
  shown: { row: number; isOnFrontier: boolean }[];
  workload: Choice | null;
  /** The formulas that are compared; null where a metric has one. */
  xDefinition: Choice | null;
  yDefinition: Choice | null;
  /** Points left out, by reason; `beyond_limit`: for room. */
  excluded: Record<string, number>;
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

/** The values of rows, turned so that more is better. */
function turnedValues(table: PointTable, { name, family }: Metric, rows: Int32Array): Float64Array {
  const values = table.values(name);
  const turn = family.direction === 'lower' ? -1 : 1;
  const turned = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) turned[at] = turn * (values[rows[at] as number] as number);
  return turned;
}

/**
 * Points of one workload by two figures, with those that no other beats on both. Each point enters once. What does not
 * rank is shown where it is included, and is on no frontier. O(rows of the table).
 */
export function findFrontier(table: PointTable, question: FrontierQuestion, othersMax: number): Frontier {
  const { x, y } = question;
  const { workload, definitions, excluded, candidates } = takeCensus(table, {
    ...question,
    kind: x.family.kind,
    metrics: [x, y],
    dimensions: ['system'],
  });
  const isNumbered = numberedTest(table);
  const all = listRows({ set: candidates, limits: [] });
  // Rows that rank come first, so that their places are those of the frontier.
  const ranked = all.filter(isNumbered);
  const points = new Int32Array(all.length);
  points.set(ranked);
  points.set(
    all.filter((row) => !isNumbered(row)),
    ranked.length,
  );

  const ys = turnedValues(table, y, points);
  const frontier = frontierOf({ xs: turnedValues(table, x, ranked), ys: ys.subarray(0, ranked.length) });
  const others = firstPlaces(
    {
      worth: ys,
      isBefore: (a, b) => (points[a] as number) < (points[b] as number),
      isAsked: (place) => !frontier.has(place),
    },
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
  const beyond = Math.max(0, points.length - frontier.size - othersMax);
  return {
    shown,
    workload,
    xDefinition: definitions[0] ?? null,
    yDefinition: definitions[1] ?? null,
    excluded: beyond === 0 ? excluded : { ...excluded, beyond_limit: beyond },
  };
}
