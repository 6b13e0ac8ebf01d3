import type { Metric } from '../metrics/index.ts';
import { BestRows, comesFirst, firstPlaces, type Order, type Worths } from './best-rows.ts';
import { type Ends, type Intervals, intervalsOf } from './board-intervals.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { Choice } from './choice.ts';
import type { PointTable } from './point-table.ts';
import { numberedTest } from './row-filter.ts';
import { eachChunk } from './row-set.ts';
import { type Dimension, subjectsOf, subjectsOfRows } from './subject.ts';
import type { Assumption } from './tool-scatter.ts';

/** What a board is of. `order`: which end of the values is first. */
export interface BoardQuestion extends Omit<CensusQuestion, 'kind' | 'metrics' | 'dimensions'> {
  rankBy: Metric;
  order: Order;
  /** What has one entry each, its best. */
  subject: Dimension;
}

/** The place of an entry in the order of its board. */
export interface EntryPlace {
  /** False of what is listed behind the ranked entries, without a number. */
  isRanked: boolean;
  /** What it is ordered by: its value, or the worse end of its interval where it is disputed. */
  key: number;
  isDisputed: boolean;
  system: string;
}

/** Entries to answer: so many, after one that was seen. */
export interface BoardPage {
  limit: number;
  after: EntryPlace | null;
}

export interface BoardEntry {
  /** Of the table. */
  row: number;
  value: number;
  /** The interval it ranks by: that of its mean, or the one assumed of a single measurement, or its value alone. */
  interval: [low: number, high: number];
  assumed: Assumption | null;
  /** Null of an entry that is listed without a number. */
  rank: number | null;
  /** First and last place it could hold, by the intervals. */
  spread: [first: number, last: number] | null;
  place: EntryPlace;
}

export interface RankedBoard {
  entries: BoardEntry[];
  hasMore: boolean;
  excluded: Record<string, number>;
  /** Null where nothing could be ranked. */
  workload: Choice | null;
  /** Null where the metric has one formula. */
  definition: Choice | null;
}

/** Of each subject the row that it enters a board with, and its value. */
interface Best {
  rows: Int32Array;
  values: Float64Array;
}

/** Some entries of a board in their order: the best row of each subject among some rows. */
interface Section extends Best {
  keys: Float64Array;
  isRanked: boolean;
}

/** What entries are ordered by: values, of disputed ones the worse end of their interval, so that they follow equals. */
function keysOf(
  { disputed }: PointTable,
  { rows, values }: Best,
  { intervals, order }: { intervals: Intervals; order: Order },
): Float64Array {
  if (disputed === undefined || !rows.some((row) => disputed[row] === 1)) return values;
  const { lows, highs } = intervals.endsOf(rows, values);
  const worse = order === 'desc' ? lows : highs;
  return values.map((value, at) => (disputed[rows[at] as number] === 1 ? (worse[at] as number) : value));
}

function placeOf({ systems, system, disputed }: PointTable, { rows, keys, isRanked }: Section, at: number): EntryPlace {
  const row = rows[at] as number;
  return {
    isRanked,
    key: keys[at] as number,
    isDisputed: disputed?.[row] === 1,
    system: systems[system[row] as number]?.id ?? '',
  };
}

/** The order of a section's entries, of which those behind one that was seen are asked for. */
function orderOf(table: PointTable, section: Section, order: Order, after: BoardPage['after']): Worths {
  const { rows, keys, isRanked } = section;
  const turn = order === 'desc' ? 1 : -1;
  return {
    worth: order === 'desc' ? keys : keys.map((key) => -key),
    isBefore: (a, b) => comesFirst(table, rows[a] as number, rows[b] as number),
    isAsked: (at) => {
      if (after === null || after.isRanked !== isRanked) return after === null || after.isRanked;
      const place = placeOf(table, section, at);
      const apart = turn * (place.key - after.key);
      if (apart !== 0) return apart < 0;
      if (place.isDisputed !== after.isDisputed) return place.isDisputed;
      return place.system > after.system;
    },
  };
}

/** First and last place of some entries among all: those wholly beyond them are surely better, or worse. */
function spreadsOf(
  intervals: Intervals,
  { rows, values }: Best,
  { own, order }: { own: Ends; order: Order },
): [number, number][] {
  const { above, below } = intervals.countApart(rows, values, own);
  const [better, worse] = order === 'desc' ? [above, below] : [below, above];
  return better.map((count, at) => [1 + count, rows.length - (worse[at] as number)]);
}

/**
 * Each subject at its best point of one workload under the constraints, ranked: a page, or all of it. Ranks count the
 * entries whose 95 % interval lies wholly beyond this one's, so that entries which the data cannot tell apart share a
 * rank; a single measurement ranks by the interval assumed from its tool's repeated points. A disputed entry has the last
 * of the places that its interval allows. Order: value, then system id, which is total; behind them what does not rank.
 * O(rows of the table).
 */
export function rankBoard(table: PointTable, question: BoardQuestion, page: BoardPage | null): RankedBoard {
  const { rankBy, order } = question;
  const { workload, chosen, definitions, excluded, candidates } = takeCensus(table, {
    ...question,
    kind: rankBy.family.kind,
    metrics: [rankBy],
    dimensions: [question.subject],
  });
  const subjects = subjectsOf(table, question.subject);
  const intervals = intervalsOf(table, { metric: rankBy, chosen: chosen[0] ?? null });
  const isNumbered = numberedTest(table);
  const sections = [true, false].map((isRanked): Section => {
    const best = new BestRows(table, { values: table.values(rankBy.name), order });
    eachChunk({ set: candidates, limits: [] }, (chunk) => {
      const rows = chunk.filter((row) => isNumbered(row) === isRanked);
      if (rows.length > 0) best.take(rows, subjectsOfRows(subjects, rows));
    });
    const { rows, values } = best;
    return { rows, values, isRanked, keys: keysOf(table, best, { intervals, order }) };
  });

  const limit = page?.limit ?? sections.reduce((all, { rows }) => all + rows.length, 0);
  const places = sections
    .flatMap((section) =>
      firstPlaces(orderOf(table, section, order, page?.after ?? null), limit + 1).map((at) => ({ section, at })),
    )
    .slice(0, limit + 1);
  const shown = places.slice(0, limit);
  const entries = sections.flatMap((section): BoardEntry[] => {
    const own = shown.flatMap((place) => (place.section === section ? [place.at] : []));
    const best = {
      rows: Int32Array.from(own, (at) => section.rows[at] as number),
      values: Float64Array.from(own, (at) => section.values[at] as number),
    };
    const ends = intervals.endsOf(best.rows, best.values);
    const spreads = section.isRanked ? spreadsOf(intervals, section, { own: ends, order }) : null;
    return own.map((at, index): BoardEntry => {
      const row = section.rows[at] as number;
      const place = placeOf(table, section, at);
      const spread = spreads?.[index] ?? null;
      return {
        row,
        value: section.values[at] as number,
        interval: [ends.lows[index] as number, ends.highs[index] as number],
        assumed: intervals.assumptionOf(row),
        rank: spread === null ? null : spread[place.isDisputed ? 1 : 0],
        spread,
        place,
      };
    });
  });
  return { entries, hasMore: places.length > limit, excluded, workload, definition: definitions[0] ?? null };
}
