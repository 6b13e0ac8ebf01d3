import { countBeyond } from '../statistics/ranks.ts';
import { BestRows, comesFirst, firstPlaces, type Order, type Worths } from './best-rows.ts';
import { intervalsOf } from './board-intervals.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { PointTable } from './point-table.ts';
import { eachChunk } from './row-set.ts';
import { type Dimension, subjectsOf, subjectsOfRows } from './subject.ts';
import type { Assumption } from './tool-scatter.ts';

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

/** The order of a board's entries, of which those behind one that was seen are asked for. */
function orderOf(
  table: PointTable,
  { rankBy, order }: BoardQuestion,
  { best, after }: { best: Int32Array; after: BoardPage['after'] },
): Worths {
  const values = table.values(rankBy.name);
  const turn = order === 'desc' ? 1 : -1;
  const worth = new Float64Array(best.length);
  for (let place = 0; place < best.length; place += 1) worth[place] = turn * (values[best[place] as number] as number);
  return {
    worth,
    isBefore: (a, b) => comesFirst(table, best[a] as number, best[b] as number),
    isAsked: (place) => {
      if (after === null) return true;
      const row = best[place] as number;
      const apart = turn * ((values[row] as number) - after.value);
      return apart === 0 ? (table.systems[table.system[row] as number]?.id ?? '') > after.system : apart < 0;
    },
  };
}

/**
 * Each subject at its best point under the constraints, ranked: a page, or all of it. Ranks count the entries whose 95 %
 * interval lies wholly beyond this one's, so that entries which the data cannot tell apart share a rank; a single
 * measurement ranks by the interval assumed from its tool's repeated points. Order: value, then system id, which is
 * total. O(rows of the table).
 */
export function rankBoard(table: PointTable, question: BoardQuestion, page: BoardPage | null): RankedBoard {
  const { rankBy, order } = question;
  const { chosen, excluded, candidates } = takeCensus(table, question);
  const values = table.values(rankBy.name);
  const subjects = subjectsOf(table, question.subject);
  const held = new BestRows(table, { values, order });
  eachChunk(candidates, (chunk) => held.take(chunk, subjectsOfRows(subjects, chunk)));
  const best = held.rows;
  const { lows, highs, assumptionOf } = intervalsOf(table, { metric: rankBy, chosen }, best);

  const limit = page?.limit ?? best.length;
  const places = firstPlaces(orderOf(table, question, { best, after: page?.after ?? null }), limit + 1);
  const shown = places.slice(0, limit);
  const above = countBeyond(
    lows,
    shown.map((place) => highs[place] as number),
    'above',
  );
  const below = countBeyond(
    highs,
    shown.map((place) => lows[place] as number),
    'below',
  );
  const [better, worse] = order === 'desc' ? [above, below] : [below, above];
  const entries = shown.map((place, at): BoardEntry => {
    const row = best[place] as number;
    return {
      row,
      value: values[row] as number,
      interval: [lows[place] as number, highs[place] as number],
      assumed: assumptionOf(row),
      rank: 1 + (better[at] as number),
      rankLast: best.length - (worse[at] as number),
    };
  });
  return { entries, hasMore: places.length > limit, excluded, definitionGroup: chosen?.group ?? null };
}
