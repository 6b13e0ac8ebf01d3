import type { Metric } from '../metrics/index.ts';
import { resultStatuses } from '../result.ts';
import { assumedFactors, mergePooledCv, type PooledCv } from '../statistics/pooled-cv.ts';
import { type ChosenDefinitions, comparableCodes } from './formulas.ts';
import type { PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';

/** A tool's pooled scatter, and the ends of the interval assumed of a single measurement as multiples of its value. */
export interface Assumption {
  pooled: PooledCv;
  factors: [low: number, high: number];
}

const accepted = resultStatuses.indexOf('accepted');

/** Small, and one for each metric that is ranked by, and each choice of its formulas. */
const remembered = createMemory<ReadonlyMap<string, PooledCv>>({ most: 200, weigh: () => 1 });

/** `findScatter`, which looks at all points, once for each state of the table. */
export function scatterByTool(
  table: PointTable,
  metric: Metric,
  chosen: ChosenDefinitions | null,
): ReadonlyMap<string, PooledCv> {
  const key = JSON.stringify([metric.name, chosen?.ids ?? null]);
  return remembered(table, key, () => findScatter(table, metric, chosen));
}

/**
 * How much repetitions of one point scatter with each tool, by the values that are ranked together. Whatever a board
 * filters, the answer is the same. A point that several tools measured is left out: its scatter is that between tools.
 */
function findScatter(table: PointTable, metric: Metric, chosen: ChosenDefinitions | null): Map<string, PooledCv> {
  const means = table.values(metric.name);
  const { n, sd, tools } = table.figures(metric.name);
  const { codes, ids } = table.definitions(metric.family.base);
  const isComparable = comparableCodes(ids, chosen);
  /** By the place of a set of one tool. */
  const sums = table.tools.map(() => ({ squares: 0, df: 0, groups: 0 }));
  const { length, status } = table;
  for (let row = 0; row < length; row += 1) {
    if (!((n[row] as number) >= 2) || status[row] !== accepted || isComparable[codes[row] as number] === 0) continue;
    const [mean, scatter] = [means[row] as number, sd[row] as number];
    if (!(mean > 0) || Number.isNaN(scatter)) continue;
    const sum = sums[tools[row] as number];
    if (sum === undefined) continue;
    const df = (n[row] as number) - 1;
    sum.squares += df * (scatter / mean) ** 2;
    sum.df += df;
    sum.groups += 1;
  }
  return new Map(
    sums.flatMap(({ squares, df, groups }, place) => {
      const [tool, another] = table.tools[place] ?? [];
      if (tool === undefined || another !== undefined || groups === 0) return [];
      const pooled = mergePooledCv([{ cv: Math.sqrt(squares / df), df, groups }]);
      return pooled === null ? [] : [[tool, pooled] as const];
    }),
  );
}

/** What is assumed of single measurements by each set of tools, the widest of several; null where nothing is known. */
export function assumptionsBySet(
  tools: readonly (readonly string[])[],
  scatter: ReadonlyMap<string, PooledCv>,
): (Assumption | null)[] {
  const byTool = new Map(
    [...scatter].map(([tool, pooled]): [string, Assumption] => [tool, { pooled, factors: assumedFactors(pooled) }]),
  );
  const width = (assumption: Assumption | null) => assumption?.factors[1] ?? 0;
  return tools.map((set) =>
    set
      .map((tool) => byTool.get(tool) ?? null)
      .reduce((widest, next) => (width(next) > width(widest) ? next : widest), null),
  );
}
