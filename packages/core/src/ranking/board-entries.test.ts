import { expect, test } from 'vitest';
import { assumedInterval } from '../statistics/pooled-cv.ts';
import { confidenceInterval95 } from '../statistics/summary.ts';
import { type BoardPage, BoardWalk, type Order, type WalkedRow } from './board.ts';
import { assumptionsByTool } from './tool-scatter.ts';

const byTool = assumptionsByTool([
  { tool: 'native', squares: 0.0002, df: 2, groups: 1 },
  { tool: 'loose', squares: 0.03, df: 3, groups: 2 },
]);

interface Asked {
  order?: Order;
  isRanked?: boolean;
  page?: BoardPage;
}

/** The entries of rows in walk order, which arrive in several parts. */
function walk(parts: readonly WalkedRow[][], { order = 'desc', isRanked = true, page }: Asked = {}) {
  const board = new BoardWalk({ order, isRanked, page: page ?? null, byTool });
  for (const rows of parts) board.take(rows);
  board.end();
  return board.entries();
}

const single = (system: string, value: number, more: Partial<WalkedRow> = {}): WalkedRow => ({
  subject: system,
  system,
  value,
  n: null,
  sd: null,
  tools: [],
  isDisputed: false,
  ...more,
});
const repeated = (system: string, value: number, more: Partial<WalkedRow> = {}) =>
  single(system, value, { n: 3, sd: 1, ...more });

const ranksOf = (entries: ReturnType<typeof walk>) =>
  entries.map(({ row, rank, spread }) => [row.system, rank, spread && [spread.first, spread.last]]);

test('a subject has the place of the first row of any of its systems', () => {
  const [a, b, c] = [single('a', 5, { subject: 'm' }), single('b', 9, { subject: 'm' }), single('c', 7)];
  expect(ranksOf(walk([[b, c, a]]))).toEqual([
    ['b', 1, [1, 1]],
    ['c', 2, [2, 2]],
  ]);
  expect(ranksOf(walk([[a], [c], [b]], { order: 'asc' }))).toEqual([
    ['a', 1, [1, 1]],
    ['c', 2, [2, 2]],
  ]);
});

test('entries share a rank if their intervals touch', () => {
  const { interval: [low = 0] = [] } = walk([[repeated('a', 100)]])[0] ?? {};
  const rows = [repeated('a', 100), single('b', low), single('c', low - 0.001)];
  expect(ranksOf(walk([rows]))).toEqual([
    ['a', 1, [1, 2]],
    ['b', 1, [1, 2]],
    ['c', 3, [3, 3]],
  ]);
});

test('a single measurement has an interval from repeated points of its tool', () => {
  const rows = [
    single('no number', 500, { tools: ['native'] }),
    single('other tool', 400, { n: 1, tools: ['unknown'] }),
    single('two tools', 300, { n: 1, tools: ['native', 'loose'] }),
    single('single', 200, { n: 1, tools: ['native', 'unknown'] }),
    repeated('repeated', 100, { tools: ['native'] }),
    single('sd of one', 90, { n: 1, sd: 5, tools: ['native'] }),
    single('no sd', 80, { n: 4, tools: ['native'] }),
  ];
  const [native, loose] = [byTool.get('native'), byTool.get('loose')];
  if (native === undefined || loose === undefined) throw new Error('a tool has no scatter');
  expect(walk([rows]).map(({ row, assumed, interval }) => [row.system, assumed, interval])).toEqual([
    ['no number', null, [500, 500]],
    ['other tool', null, [400, 400]],
    ['two tools', loose, assumedInterval(300, loose.pooled)],
    ['single', native, assumedInterval(200, native.pooled)],
    ['repeated', null, confidenceInterval95(100, 1, 3)],
    ['sd of one', null, [90, 90]],
    ['no sd', null, [80, 80]],
  ]);
});

test('a disputed entry follows entries with overlapping intervals, with their last place', () => {
  const rows = [
    repeated('best', 200),
    repeated('equal', 100),
    repeated('disputed', 100, { isDisputed: true }),
    repeated('near', 99),
    repeated('far', 50),
  ];
  expect(ranksOf(walk([rows]))).toEqual([
    ['best', 1, [1, 1]],
    ['equal', 2, [2, 4]],
    ['near', 2, [2, 4]],
    ['disputed', 4, [2, 4]],
    ['far', 5, [5, 5]],
  ]);
  const disputed = walk([rows]).find(({ place }) => place.isDisputed);
  const [low] = confidenceInterval95(100, 1, 3) ?? [];
  expect(disputed?.place).toEqual({ isRanked: true, key: low, isDisputed: true, system: 'disputed' });
  // Less is better: the worse end is the upper one.
  const turned = rows.map((row) => ({ ...row, value: 300 - row.value }));
  expect(walk([turned], { order: 'asc' }).map(({ row }) => row.system)).toEqual([
    'best',
    'equal',
    'near',
    'disputed',
    'far',
  ]);
});

test('a disputed entry without an interval follows all entries with the same value', () => {
  const rows = [single('b', 7), single('c', 7), single('a', 7, { isDisputed: true }), single('d', 6)];
  expect(ranksOf(walk([rows]))).toEqual([
    ['b', 1, [1, 3]],
    ['c', 1, [1, 3]],
    ['a', 3, [1, 3]],
    ['d', 4, [4, 4]],
  ]);
});

test('a disputed entry follows rows that are read later', () => {
  const page = { limit: 1, after: null };
  const parts = [
    [repeated('best', 100), repeated('disputed', 90, { sd: 20, isDisputed: true })],
    [repeated('next', 80)],
  ];
  expect(ranksOf(walk(parts, { page }))).toEqual([
    ['best', 1, [1, 2]],
    ['next', 2, [2, 3]],
  ]);
  expect(walk(parts).map(({ row }) => row.system)).toEqual(['best', 'next', 'disputed']);
});

test('entries without a rank follow those that have one', () => {
  const ranked = [[single('a', 10), single('c', 5)]];
  const others = [[single('a', 99), single('b', 50)]];
  const pageAfter = (place: BoardPage['after']) => ({ limit: 1, after: place });
  const behind = walk(others, { isRanked: false });
  expect(ranksOf(behind)).toEqual([
    ['a', null, null],
    ['b', null, null],
  ]);
  // All of these follow every numbered entry, although their values are better.
  for (const { place } of walk(ranked)) {
    expect(walk(others, { isRanked: false, page: pageAfter(place) })).toEqual(behind);
  }
  const page = pageAfter(behind[0]?.place ?? null);
  expect(walk(others, { isRanked: false, page })).toEqual(behind.slice(1));
  expect(walk(ranked, { page })).toEqual([]);
});

test('a page continues after a place whose entry was removed', () => {
  const after = { isRanked: true, key: 7, isDisputed: false, system: 'b' };
  const page = { limit: 5, after };
  const rows = [single('z', 8), single('a', 7), single('c', 7), single('d', 7, { isDisputed: true }), single('a1', 6)];
  expect(walk([rows], { page }).map(({ row }) => row.system)).toEqual(['c', 'd', 'a1']);
  expect(walk([rows], { page: { limit: 5, after: { ...after, key: 1 } } })).toEqual([]);
});
