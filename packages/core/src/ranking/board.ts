import { countBeyond } from '../statistics/ranks.ts';
import { confidenceInterval95 } from '../statistics/summary.ts';
import { bestRows, comesFirst, firstRows, type Order } from './best-rows.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { PointTable } from './point-table.ts';
import { type Dimension, subjectsOf } from './subject.ts';
import { type Assumption, assumptionsBySet, scatterByTool } from './tool-scatter.ts';

/** What a board is of. `order`: which end of the values is first. */
export interface BoardQuestion extends CensusQuestion {
  order: Order;
  /** What has one entry each, its best. */
  subject: Dimension;
}

/** Entries to answer: so many, after one that was seen. */
export interface BoardPage {
  limit: number;
  after: { value: number; system: string } | null;
}

export interface BoardEntry {
  /** Of the table. */
  row: number;
  value: number;
  /** The interval it ranks by: that of its mean, or the one assumed of a single measurement, or its value alone. */
  interval: [low: number, high: number];
  assumed: Assumption | null;
  /** First and last place it could hold, by the intervals. */
  rank: number;
  rankLast: number;
}

export interface RankedBoard {
  entries: BoardEntry[];
  hasMore: boolean;
  excluded: Record<string, number>;
  /** The group of definitions that was ranked; null where the metric has one formula. */
  definitionGroup: string | null;
}

/**
 * Each subject at its best point under the constraints, ranked: a page, or all of it. Ranks count the entries whose 95 %
 * interval lies wholly beyond this one's, so that entries which the data cannot tell apart share a rank; a single
 * measurement ranks by the interval assumed from its tool's repeated points. Order: value, then system id, which is
 * total. O(rows of the table).
 */
export function rankBoard(table: PointTable, question: BoardQuestion, page: BoardPage | null): RankedBoard {
  const { rankBy, order, subject } = question;
  const { chosen, excluded, candidates } = takeCensus(table, question);
  const values = table.values(rankBy.name);
  const { n, sd, tools } = table.figures(rankBy.name);
  const best = bestRows(table, candidates, { values, order, subjectOf: subjectsOf(table, subject).of });

  const assumptions = assumptionsBySet(table.tools, scatterByTool(table, rankBy, chosen));
  const assumptionOf = (row: number) =>
    n[row] === 1 && Number.isNaN(sd[row] as number) ? (assumptions[tools[row] as number] ?? null) : null;
  const intervalOf = (row: number): [number, number] => {
    const [value, scatter, count] = [values[row] as number, sd[row] as number, n[row] as number];
    const measured = Number.isNaN(scatter) || Number.isNaN(count) ? null : confidenceInterval95(value, scatter, count);
    if (measured !== null) return measured;
    const [low, high] = assumptionOf(row)?.factors ?? [1, 1];
    return [value * low, value * high];
  };
  const lows = new Float64Array(best.length);
  const highs = new Float64Array(best.length);
  const lowFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[0] ?? 1);
  const highFactors = Float64Array.from(assumptions, (assumption) => assumption?.factors[1] ?? 1);
  for (let place = 0; place < best.length; place += 1) {
    const row = best[place] as number;
    if (n[row] === 1 && Number.isNaN(sd[row] as number)) {
      // Most are single measurements, and there may be hundreds of thousands of them.
      const [value, tool] = [values[row] as number, tools[row] as number];
      lows[place] = value * (lowFactors[tool] ?? 1);
      highs[place] = value * (highFactors[tool] ?? 1);
    } else [lows[place], highs[place]] = intervalOf(row) as [number, number];
  }

  const isBefore = (a: number, b: number) => {
    const [first, second] = [values[a] as number, values[b] as number];
    if (first !== second) return order === 'desc' ? first > second : first < second;
    return comesFirst(table, a, b);
  };
  const after = page?.after ?? null;
  const isAfter = (row: number) => {
    if (after === null) return true;
    const value = values[row] as number;
    if (value === after.value) return (table.systems[table.system[row] as number]?.id ?? '') > after.system;
    return order === 'desc' ? value < after.value : value > after.value;
  };
  const limit = page?.limit ?? best.length;
  const rows = firstRows(after === null ? best : best.filter(isAfter), isBefore, limit + 1);
  const shown = rows.slice(0, limit);

  const intervals = shown.map(intervalOf);
  const ends = (end: 0 | 1) => intervals.map((interval) => interval[end]);
  const above = countBeyond(lows, ends(1), 'above');
  const below = countBeyond(highs, ends(0), 'below');
  const [better, worse] = order === 'desc' ? [above, below] : [below, above];
  const entries = shown.map((row, place): BoardEntry => {
    const interval = intervals[place] as [number, number];
    const rank = 1 + (better[place] as number);
    const rankLast = best.length - (worse[place] as number);
    return { row, value: values[row] as number, interval, assumed: assumptionOf(row), rank, rankLast };
  });
  return { entries, hasMore: rows.length > limit, excluded, definitionGroup: chosen?.group ?? null };
}
