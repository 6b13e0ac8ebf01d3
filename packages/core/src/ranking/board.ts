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

/** Of each subject the row that it enters a board with, and its value. */
interface Best {
  rows: Int32Array;
  values: Float64Array;
}

/** The order of a board's entries, of which those behind one that was seen are asked for. */
function orderOf(
  table: PointTable,
  { order }: BoardQuestion,
  { rows: best, values }: Best,
  after: BoardPage['after'],
): Worths {
  const turn = order === 'desc' ? 1 : -1;
  return {
    worth: order === 'desc' ? values : values.map((value) => -value),
    isBefore: (a, b) => comesFirst(table, best[a] as number, best[b] as number),
    isAsked: (place) => {
      if (after === null) return true;
      const apart = turn * ((values[place] as number) - after.value);
      if (apart !== 0) return apart < 0;
      return (table.systems[table.system[best[place] as number] as number]?.id ?? '') > after.system;
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
  const subjects = subjectsOf(table, question.subject);
  const best = new BestRows(table, { values: table.values(rankBy.name), order });
  eachChunk(candidates, (chunk) => best.take(chunk, subjectsOfRows(subjects, chunk)));
  const { rows, values } = best;

  const limit = page?.limit ?? rows.length;
  const places = firstPlaces(orderOf(table, question, best, page?.after ?? null), limit + 1);
  const shown = places.slice(0, limit);
  const intervals = intervalsOf(table, { metric: rankBy, chosen });
  const own = intervals.endsOf(
    shown.map((place) => rows[place] as number),
    shown.map((place) => values[place] as number),
  );
  const { above, below } = intervals.countApart(rows, values, own);
  const [better, worse] = order === 'desc' ? [above, below] : [below, above];
  const entries = shown.map((place, at): BoardEntry => {
    const row = rows[place] as number;
    return {
      row,
      value: values[place] as number,
      interval: [own.lows[at] as number, own.highs[at] as number],
      assumed: intervals.assumptionOf(row),
      rank: 1 + (better[at] as number),
      rankLast: rows.length - (worse[at] as number),
    };
  });
  return { entries, hasMore: places.length > limit, excluded, definitionGroup: chosen?.group ?? null };
}
