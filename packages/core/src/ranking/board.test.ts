import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assumedInterval } from '../statistics/pooled-cv.ts';
import { confidenceInterval95 } from '../statistics/summary.ts';
import {
  type BoardEntry,
  type BoardPage,
  BoardWalk,
  type Order,
  spreadPlaces,
  usualReach,
  type WalkedRow,
} from './board.ts';
import { assumptionOf, assumptionsByTool } from './tool-scatter.ts';

const byTool = assumptionsByTool([
  { tool: 'native', squares: 0.0002, df: 2, groups: 1 },
  { tool: 'loose', squares: 0.03, df: 3, groups: 2 },
]);

/** Assumed intervals that are usual. */
const tight = assumptionsByTool([{ tool: 'native', squares: 0.0002, df: 2, groups: 1 }]);

interface Asked {
  order: Order;
  isRanked: boolean;
  page: BoardPage | null;
}

const all: Asked = { order: 'desc', isRanked: true, page: null };

const ordered = <T>(a: T, b: T) => (a < b ? -1 : Number(a > b));

/** Rows in the order of the Postgres query. */
const inWalkOrder = (rows: readonly WalkedRow[], order: Order) =>
  rows.toSorted(
    (a, b) =>
      (order === 'desc' ? b.value - a.value : a.value - b.value) ||
      ordered(a.isDisputed, b.isDisputed) ||
      ordered(a.system, b.system),
  );

interface Walked {
  entries: BoardEntry<WalkedRow>[];
  /** Rows of this and all previous batches. */
  taken: number;
  before: number;
  isStopped: boolean;
}

/** Walks in batches until the page is known. */
function walk(rows: readonly WalkedRow[], asked: Asked, batch = 1200): Walked {
  const sorted = inWalkOrder(rows, asked.order);
  const board = new BoardWalk({ ...asked, byTool });
  for (let before = 0; before < sorted.length; before += batch) {
    const taken = Math.min(before + batch, sorted.length);
    if (!board.take(sorted.slice(before, taken))) return { entries: board.entries(), taken, before, isStopped: true };
  }
  board.end();
  return { entries: board.entries(), taken: sorted.length, before: sorted.length, isStopped: false };
}

function intervalByHand({ value, n, sd, tools }: WalkedRow, known = byTool): [number, number] {
  if (sd !== null) return confidenceInterval95(value, sd, n ?? 0) ?? [value, value];
  const assumed = n === 1 ? assumptionOf(tools, known) : null;
  return assumed === null ? [value, value] : assumedInterval(value, assumed.pooled);
}

/** The first row of each subject, with its interval and its key, in board order. */
function sortByHand(rows: readonly WalkedRow[], { order }: Pick<Asked, 'order'>, known = byTool) {
  const best = [...Map.groupBy(inWalkOrder(rows, order), ({ subject }) => subject).values()].flatMap(([first]) =>
    first === undefined ? [] : [first],
  );
  const entries = best.map((row) => {
    const interval = intervalByHand(row, known);
    const worse = order === 'desc' ? interval[0] : interval[1];
    return { row, interval, key: row.isDisputed ? worse : row.value };
  });
  return entries.sort(
    (a, b) =>
      (order === 'desc' ? b.key - a.key : a.key - b.key) ||
      ordered(a.row.isDisputed, b.row.isDisputed) ||
      ordered(a.row.system, b.row.system),
  );
}

/** Compares every pair. */
function rankByHand(rows: readonly WalkedRow[], asked: Asked, known = byTool): BoardEntry<WalkedRow>[] {
  const { order, isRanked, page } = asked;
  const entries = sortByHand(rows, asked, known);
  const isAhead = (a: { interval: [number, number] }, b: { interval: [number, number] }) =>
    order === 'desc' ? a.interval[0] > b.interval[1] : a.interval[1] < b.interval[0];
  const start = page === null ? 0 : entries.findIndex(({ row }) => row.system === page.after?.system) + 1;
  const near = page === null ? entries : entries.slice(0, start + page.limit + spreadPlaces);
  return entries.slice(start, page === null ? undefined : start + page.limit + 1).map((own) => {
    const { row, interval, key } = own;
    const spread = {
      first: 1 + entries.filter((other) => isAhead(other, own)).length,
      last: near.filter((other) => !isAhead(own, other)).length,
      isAtLeast: near.length < entries.length,
    };
    return {
      row,
      value: row.value,
      interval,
      assumed: row.sd === null && row.n === 1 ? assumptionOf(row.tools, known) : null,
      rank: isRanked ? (row.isDisputed ? spread.last : spread.first) : null,
      spread: isRanked ? spread : null,
      place: { isRanked, key, isDisputed: row.isDisputed, system: row.system },
    };
  });
}

const anyFigures = fc.record({
  // Values that are close together, and values far apart.
  value: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: -10, max: 40 }).map((power) => 2 ** power) },
  ),
  n: fc.constantFrom(null, 1, 1, 2, 5),
  sd: fc.option(
    fc.integer({ min: 0, max: 40 }).map((ninths) => ninths / 9),
    { nil: null },
  ),
  tools: fc.subarray(['native', 'loose', 'unknown']),
  isDisputed: fc.constantFrom(false, false, false, true),
});

/** Each system has one subject and may have several rows. */
const anyRows = fc.array(
  fc
    .tuple(fc.integer({ min: 10, max: 29 }), anyFigures)
    .map(([at, figures]): WalkedRow => ({ ...figures, subject: `m${at % 9}`, system: `s${at}` })),
  { minLength: 1, maxLength: 30, size: 'max' },
);
const anyOrder = fc.constantFrom<Order[]>('asc', 'desc');
const anyBatch = fc.constantFrom(1, 2, 3, 5, 40);

test('gives the same ranks as a comparison of every pair of subjects', () => {
  fc.assert(
    fc.property(anyRows, anyOrder, fc.boolean(), anyBatch, (rows, order, isRanked, batch) => {
      const asked = { order, isRanked, page: null };
      expect(walk(rows, asked, batch).entries).toEqual(rankByHand(rows, asked));
    }),
  );
});

test('gives the same entries in pages as at once, for any batch size', () => {
  const anyLimit = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(anyRows, anyOrder, fc.boolean(), anyLimit, anyBatch, (rows, order, isRanked, limit, batch) => {
      const paged: BoardEntry<WalkedRow>[] = [];
      // No more pages than rows: a wrong place could cause an endless loop.
      for (let after: BoardPage['after'] = null, pages = 0; pages < rows.length; pages += 1) {
        const { entries } = walk(rows, { order, isRanked, page: { limit, after } }, batch);
        paged.push(...entries.slice(0, limit));
        if (entries.length <= limit) break;
        after = entries[limit - 1]?.place ?? null;
      }
      expect(paged).toEqual(rankByHand(rows, { order, isRanked, page: null }));
    }),
  );
});

/** Boards with more entries than `spreadPlaces`, the limit for exact ends of ranges. Some subjects have two rows. */
const anyLongBoard = fc
  .record({
    figures: fc.array(anyFigures, { minLength: 1, maxLength: 30 }),
    places: fc.integer({ min: spreadPlaces - 10, max: spreadPlaces + 60 }),
    step: fc.integer({ min: 0, max: 3 }),
    // Few, so that most batches contain none.
    disputed: fc.array(fc.nat({ max: spreadPlaces + 60 })),
  })
  .map(({ figures, places, step, disputed }) =>
    Array.from({ length: places + 20 }, (_, at): WalkedRow => {
      const { value, ...rest } = figures[at % figures.length] as (typeof figures)[number];
      const moved = value + step * Math.floor(at / figures.length);
      const isDisputed = disputed.includes(at);
      return { ...rest, isDisputed, value: moved, subject: `m${at % places}`, system: `s${at}` };
    }),
  );

test('stops as soon as the page is known, but not before', () => {
  const anyPage = fc.record({ limit: fc.integer({ min: 1, max: 30 }), after: fc.option(fc.nat({ max: 40 })) });
  const anyWalk = fc.tuple(anyLongBoard, anyOrder, fc.boolean(), anyPage, fc.integer({ min: 1, max: 200 }));
  fc.assert(
    fc.property(anyWalk, ([rows, order, isRanked, { limit, after }, batch]) => {
      const whole = walk(rows, { order, isRanked, page: null }).entries;
      const page = { limit, after: after === null ? null : (whole[after]?.place ?? null) };
      const asked = { order, isRanked, page };
      const { entries, taken, before, isStopped } = walk(rows, asked, batch);
      // Later rows change nothing.
      expect(entries).toEqual(rankByHand(rows, asked));

      const wanted = (after ?? -1) + 1 + limit + 1 + (isRanked ? spreadPlaces : 0);
      const isKnownBy = (count: number) => {
        const seen = inWalkOrder(rows, order).slice(0, count);
        const [last, of] = [sortByHand(seen, asked)[wanted - 1], seen.at(-1)];
        if (last === undefined || of === undefined) return false;
        return order === 'desc' ? last.key > of.value : last.key < of.value;
      };
      expect([isKnownBy(before), isKnownBy(taken)]).toEqual([false, isStopped]);
    }),
    { numRuns: 60 },
  );
});

test('an end of a rank range that is not a lower bound is that of the whole board', () => {
  const anyPage = fc.record({ limit: fc.integer({ min: 1, max: 8 }), after: fc.option(fc.nat({ max: 8 })) });
  const anyPlaces = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(anyRows, anyOrder, anyPage, anyPlaces, anyBatch, (rows, order, { limit, after }, places, batch) => {
      const whole = walk(rows, { order, isRanked: true, page: null }).entries;
      const page = { limit, after: after === null ? null : (whole[after]?.place ?? null) };
      const board = new BoardWalk({ order, isRanked: true, page, byTool: tight, places, findsWide: true });
      const sorted = inWalkOrder(rows, order);
      let taken = 0;
      for (let isMore = true; isMore && taken < sorted.length; taken += batch)
        isMore = board.take(sorted.slice(taken, taken + batch));
      if (taken >= sorted.length) board.end();
      const unreached = board.unreached();
      const isReached = sorted.slice(taken).some((row) => {
        const [low, high] = intervalByHand(row, tight);
        const isUsual = Math.max(1 - low / row.value, high / row.value - 1) <= usualReach;
        if (unreached === null || isUsual || board.has(row.subject)) return false;
        return order === 'desc' ? high >= unreached.end : low <= unreached.end;
      });
      const expected = rankByHand(rows, { order, isRanked: true, page: null }, tight);
      for (const { row, spread } of board.entries({ isReached })) {
        const last = expected.find((entry) => entry.row.subject === row.subject)?.spread?.last ?? 0;
        if (spread?.isAtLeast) expect(spread.last).toBeLessThanOrEqual(last);
        else expect(spread?.last).toBe(last);
      }
    }),
    { numRuns: 500 },
  );
});

const rowOf = (system: string, value: number, n: number | null = null): WalkedRow => ({
  subject: system,
  system,
  value,
  n,
  sd: n === null ? null : 1,
  tools: [],
  isDisputed: false,
});

test('an entry with a wide interval does not make the other ends lower bounds', () => {
  const rows = Array.from({ length: 100 }, (_, at) => rowOf(`s${1000 + at}`, 1000 - 5 * at));
  rows[1] = rowOf('wide', 999, 3);
  rows[1].sd = 900;
  const page = { limit: 2, after: null };
  const board = new BoardWalk({ order: 'desc', isRanked: true, page, byTool: tight, places: 60, findsWide: true });
  expect(board.take(rows)).toBe(false);
  expect(board.unreached()).toEqual({ last: 505, end: 990 });
  const spreads = [false, true].map((isReached) => board.entries({ isReached }).map(({ spread }) => spread));
  expect(spreads[0]).toEqual([
    { first: 1, last: 2, isAtLeast: false },
    { first: 1, last: 62, isAtLeast: true },
    { first: 2, last: 3, isAtLeast: false },
  ]);
  expect(spreads[1]?.map((spread) => spread?.isAtLeast)).toEqual([true, true, true]);
});

test('an end that a usual interval of a later row could reach is a lower bound', () => {
  const at = (system: string, value: number, sd: number) => ({ ...rowOf(system, value, 5), sd });
  const rows = [at('a', 1000, 50), ...['b', 'c', 'd'].map((system, place) => at(system, 935 - place, 0.1))];
  const board = new BoardWalk({ ...all, page: { limit: 1, after: null }, byTool: tight, places: 1, findsWide: true });
  expect(board.take(rows)).toBe(false);
  // One usual interval of a later row would end at 968, another one at 800.
  expect(board.entries({ isReached: false })[0]?.spread).toEqual({ first: 1, last: 1, isAtLeast: true });
});

describe('the number of rows read', () => {
  const level = (places: number) => Array.from({ length: places }, (_, at) => rowOf(`s${10_000 + at}`, 5, 2));
  const falling = Array.from({ length: 3000 }, (_, at) => rowOf(`s${10_000 + at}`, 9000 - at));

  test.each([
    [0, false],
    [spreadPlaces, false],
    [spreadPlaces + 1, true],
    [2 * spreadPlaces, true],
  ])('with %i places below the page, the last place is a lower bound: %s', (below, isAtLeast) => {
    const page = { limit: 10, after: null };
    const { entries } = walk(level(10 + below), { ...all, page });
    expect(entries).toHaveLength(below === 0 ? 10 : 11);
    const last = 10 + Math.min(below, spreadPlaces);
    for (const { spread } of entries) expect(spread).toEqual({ first: 1, last, isAtLeast });
    const after = entries[9]?.place ?? null;
    const [next] = walk(level(20 + below), { ...all, page: { limit: 10, after } }).entries;
    expect([next?.row.system, next?.spread]).toEqual(['s10010', { first: 1, last: last + 10, isAtLeast }]);
  });

  test('is one more than the number of places required', () => {
    const takenFor = (isRanked: boolean, after: number | null) => {
      const place = after === null ? null : (walk(falling, { ...all, isRanked }).entries[after]?.place ?? null);
      return walk(falling, { ...all, isRanked, page: { limit: 10, after: place } }, 1).taken;
    };
    expect([takenFor(false, null), takenFor(false, 19)]).toEqual([12, 32]);
    expect([takenFor(true, null), takenFor(true, 19)]).toEqual([spreadPlaces + 12, spreadPlaces + 32]);
  });

  test('includes all rows that tie with the page', () => {
    const rows = [...level(40), rowOf('last', 4)];
    const { taken, isStopped } = walk(rows, { ...all, isRanked: false, page: { limit: 10, after: null } }, 1);
    expect([taken, isStopped]).toEqual([41, true]);
  });

  test('includes further rows of the same subject', () => {
    const rows = [rowOf('a', 9), rowOf('b', 8), { ...rowOf('c', 7), subject: 'a' }, rowOf('d', 6)];
    expect(walk(rows, { ...all, isRanked: false, page: { limit: 1, after: null } }, 1).taken).toBe(3);
  });

  test('is all rows if no page is requested or no row follows', () => {
    expect(walk(falling, all)).toMatchObject({ taken: 3000, isStopped: false });
    expect(walk(level(10), { ...all, isRanked: false, page: { limit: 10, after: null } }).isStopped).toBe(false);
    expect(walk([], { ...all, page: { limit: 10, after: null } }).entries).toEqual([]);
  });
});
