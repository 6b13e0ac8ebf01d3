import { type Filters, noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { pointStatistics } from '@inferboard/core/statistics/point-statistics';
import { assumedInterval, pooledCv } from '@inferboard/core/statistics/pooled-cv';
import { rankEntries } from '@inferboard/core/statistics/ranks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertAccount } from '../../accounts/account.ts';
import { createDatabase, type Database } from '../../connection/client.ts';
import { useTestDatabase } from '../../testing/index.ts';
import { insertMeasured, type Measured } from '../../testing/insert-measured.ts';
import type { LeaderboardRow } from './leaderboard-entries.ts';
import { type LeaderboardQuestion, listLeaderboard } from './leaderboard-list.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'submitter'))?.id ?? '';
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems, submissions, artifacts cascade`;
});

const insert = (measured: readonly Measured[], tool?: string) => insertMeasured(database, accountId, measured, tool);

function metricOf(name: string): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const ask = (rankBy: string, over: Partial<LeaderboardQuestion> = {}) =>
  listLeaderboard(database.db, {
    rankBy: metricOf(rankBy),
    order: 'desc',
    filters: noFilters,
    definition: null,
    limit: 50,
    after: null,
    ...over,
  });
const withFilters = (over: Partial<Filters>): Filters => ({ ...noFilters, ...over });
const shown = (rows: LeaderboardRow[]) =>
  rows.map((row) => [row.system.engine_version, row.value, row.rank, row.spread?.last]);
const throughput = (...values: number[]) => values.map((output_tok_s) => ({ output_tok_s }));

describe('an entry', () => {
  test('is a system at its best point', async () => {
    await insert([
      { system: 'a', level: 1, metrics: throughput(100) },
      { system: 'a', level: 8, metrics: throughput(700) },
      { system: 'a', level: 64, metrics: throughput(600) },
      { system: 'b', level: 8, metrics: throughput(650) },
    ]);
    const { rows, hasMore, excluded } = await ask('output_tok_s');
    expect(shown(rows)).toEqual([
      ['a', 700, 1, 1],
      ['b', 650, 2, 2],
    ]);
    expect(rows[0]?.point).toMatchObject({ load_mode: 'concurrency', load_level: 8, results: 1 });
    expect(rows[0]?.scenario.name).toBe('chatbot');
    expect({ hasMore, excluded }).toEqual({ hasMore: false, excluded: {} });
  });

  test('is a system at its best point within the constraints', async () => {
    const point = (level: number, output_tok_s: number, itl_ms_mean: number): Measured => ({
      system: 'a',
      level,
      metrics: [{ output_tok_s, itl_ms_mean }],
    });
    await insert([point(1, 100, 5), point(8, 700, 19), point(64, 2000, 60)]);
    const filters = withFilters({ bounds: [{ metric: 'itl_ms_mean', side: 'max', value: 20 }] });
    expect(shown((await ask('output_tok_s', { filters })).rows)).toEqual([['a', 700, 1, 1]]);
    const none = withFilters({ bounds: [{ metric: 'itl_ms_mean', side: 'max', value: 4 }] });
    expect((await ask('output_tok_s', { filters: none })).rows).toEqual([]);
  });

  test('includes a value equal to a bound', async () => {
    await insert([{ system: 'a', metrics: [{ output_tok_s: 700, itl_ms_mean: 20 }] }]);
    for (const side of ['min', 'max'] as const) {
      const filters = withFilters({ bounds: [{ metric: 'itl_ms_mean', side, value: 20 }] });
      expect((await ask('output_tok_s', { filters })).rows).toHaveLength(1);
    }
  });

  test('has its runs, each with its value', async () => {
    await insert([{ system: 'a', metrics: throughput(101.2, 99.8, 100.4) }]);
    const { rows } = await ask('output_tok_s');
    expect(rows[0]?.runs.map((run) => run.value)).toEqual([101.2, 99.8, 100.4]);
    expect(rows[0]?.point.statistics.output_tok_s).toMatchObject({ n: 3, median: 100.4 });
  });

  test('has the lowest latency first in ascending order', async () => {
    await insert([
      { system: 'a', level: 1, metrics: [{ ttft_ms_mean: 90 }] },
      { system: 'a', level: 8, metrics: [{ ttft_ms_mean: 300 }] },
      { system: 'b', level: 1, metrics: [{ ttft_ms_mean: 80 }] },
    ]);
    expect(shown((await ask('ttft_ms', { order: 'asc' })).rows)).toEqual([
      ['b', 80, 1, 1],
      ['a', 90, 2, 2],
    ]);
  });
});

describe('points that do not rank', () => {
  test('are counted by reason: missing, quarantined, retracted, other formula', async () => {
    const decode = (decode_tok_s: number) => [{ decode_tok_s }];
    await insert([
      { system: 'a', metrics: decode(100), definitions: { decode_tok_s: 'client' } },
      { system: 'b', metrics: decode(900), definitions: { decode_tok_s: 'in_process' } },
      { system: 'c', metrics: throughput(5) },
      { system: 'c', level: 16, metrics: throughput(5) },
      { system: 'd', metrics: decode(900), status: 'quarantined' },
      { system: 'e', metrics: decode(900), status: 'retracted' },
    ]);
    const board = await ask('decode_tok_s');
    expect(shown(board.rows)).toEqual([['a', 100, 1, 1]]);
    expect(board.definition?.id).toBe('client');
    expect(board.excluded).toEqual({ missing_metric: 2, other_definition: 1, quarantined: 1, retracted: 1 });
  });

  test('rank if the filters include them', async () => {
    await insert([
      { system: 'a', metrics: throughput(100) },
      { system: 'b', metrics: throughput(900), status: 'quarantined' },
      { system: 'c', metrics: throughput(500), status: 'retracted' },
    ]);
    const filters = withFilters({ include: ['quarantined'] });
    const board = await ask('output_tok_s', { filters });
    expect(shown(board.rows)).toEqual([
      ['b', 900, 1, 1],
      ['a', 100, 2, 2],
    ]);
    expect(board.excluded).toEqual({ retracted: 1 });
  });

  test('do not include those of another formula if it is the only one', async () => {
    await insert([{ system: 'b', metrics: [{ decode_tok_s: 900 }], definitions: { decode_tok_s: 'in_process' } }]);
    const board = await ask('decode_tok_s');
    expect(shown(board.rows)).toEqual([['b', 900, 1, 1]]);
    expect(board.definition?.id).toBe('in_process');
    expect(board.excluded).toEqual({});
  });

  test('include those of other workloads, and the board names its workload', async () => {
    await insert([
      { system: 'a', metrics: throughput(100) },
      { system: 'b', mode: 'rate', metrics: throughput(90) },
      { system: 'c', mode: 'burst', metrics: throughput(900) },
    ]);
    const board = await ask('output_tok_s');
    expect(shown(board.rows).map(([system]) => system)).toEqual(['a', 'b']);
    expect(board.workload).toEqual({
      id: 'chatbot-steady',
      because: 'most_systems',
      systems: 2,
      others: [{ id: 'chatbot-burst', systems: 1 }],
      regime: 'steady',
      input_tokens: 1024,
      output_tokens: 256,
      dataset: null,
      depth: null,
    });
    const filters = withFilters({ workload: ['chatbot-burst'] });
    expect(shown((await ask('output_tok_s', { filters })).rows).map(([system]) => system)).toEqual(['c']);
  });

  test('include those below the requested trust', async () => {
    await insert([{ system: 'a', metrics: throughput(100) }]);
    const board = await ask('output_tok_s', { filters: withFilters({ trust: ['managed'] }) });
    expect(board).toMatchObject({ rows: [], excluded: { below_trust: 1 } });
  });

  test('do not include those that the filters exclude', async () => {
    await insert([
      { system: 'a', metrics: throughput(100) },
      { system: 'b', metrics: [{ ttft_ms_mean: 5 }], gpu: 'rtx-4090' },
    ]);
    const filters = withFilters({ gpu: [{ by: 'family', family: 'h100' }] });
    expect((await ask('output_tok_s', { filters })).excluded).toEqual({});
  });
});

describe('a point whose results used several formulas', () => {
  const decode = (value: number, id: string) => ({
    system: 'a',
    metrics: [{ decode_tok_s: value }],
    definitions: { decode_tok_s: id },
  });

  test('ranks by the preferred one, and is counted once', async () => {
    await insert([decode(900, 'in_process'), decode(100, 'client'), decode(102, 'client')]);
    const board = await ask('decode_tok_s');
    expect(shown(board.rows)).toEqual([['a', 101, 1, 1]]);
    expect(board).toMatchObject({ definition: { id: 'client' }, excluded: {} });
    expect(board.rows[0]?.point).toMatchObject({ variant: 0, results: 3, definitions: { decode_tok_s: 'client' } });
    expect(board.rows[0]?.runs.map((run) => run.value)).toEqual([100, 102]);
  });

  test('is excluded once, for the reason that applies to all variants', async () => {
    await insert([
      decode(900, 'in_process'),
      { ...decode(100, 'client'), status: 'quarantined' },
      { ...decode(900, 'in_process'), status: 'quarantined' },
      { system: 'b', metrics: [{ decode_tok_s: 90 }], definitions: { decode_tok_s: 'client' } },
      { system: 'c', metrics: [{ itl_ms_mean: 10 }], definitions: { itl_ms: 'per_token' } },
      { system: 'c', metrics: [{ itl_ms_mean: 12 }], definitions: { itl_ms: 'per_chunk' } },
    ]);
    const board = await ask('decode_tok_s');
    expect(shown(board.rows)).toEqual([['b', 90, 1, 1]]);
    // The point of system c has two variants, and one of them lacks the metric.
    expect(board.excluded).toEqual({ other_definition: 1, quarantined: 1, missing_metric: 1 });
  });

  // Otherwise a point would gain from being measured in several ways. A bound is met if any variant meets it.
  test('with formulas of one group ranks by the preferred one, not by the better value', async () => {
    const itl = (itl_ms_mean: number, id: string) => ({
      system: 'a',
      metrics: [{ itl_ms_mean }],
      definitions: { itl_ms: id },
    });
    await insert([itl(9, 'per_chunk'), itl(10, 'per_token')]);
    for (const order of ['asc', 'desc'] as const) {
      expect(shown((await ask('itl_ms', { order })).rows)).toEqual([['a', 10, 1, 1]]);
    }
    const filters = withFilters({ bounds: [{ metric: 'itl_ms_mean', side: 'max', value: 9.5 }] });
    expect(shown((await ask('itl_ms', { order: 'asc', filters })).rows)).toEqual([['a', 9, 1, 1]]);
  });

  test('is filtered by the results with the ranked value', async () => {
    await insert([decode(100, 'client')]);
    await insert([decode(900, 'in_process')], 'another tool');
    const board = await ask('decode_tok_s', { filters: withFilters({ tool: ['another tool'] }) });
    expect(shown(board.rows)).toEqual([['a', 900, 1, 1]]);
    expect(board).toMatchObject({ definition: { id: 'in_process' }, excluded: {} });
  });
});

/** A seeded generator of numbers from 0 to 1, for reproducible failures. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The expected board, computed by a naive reference implementation. */
function expectedBoard(measured: Measured[], metric: string, order: 'asc' | 'desc') {
  const summed = measured.map(({ system, metrics }) => {
    const { n, mean, ci95, cv } = pointStatistics(
      metrics.map((values) => ({ value: values[metric] ?? 0, repeats: null })),
    );
    return { system, n: n ?? 0, mean, ci95, cv };
  });
  const pooled = pooledCv(summed);
  const points = summed.map(({ system, mean, ci95 }) => {
    const [low, high] = ci95 ?? (pooled === null ? [mean, mean] : assumedInterval(mean, pooled));
    return { system, value: mean, low, high };
  });
  const better = (a: number, b: number) => (order === 'desc' ? a > b : a < b);
  const best = new Map<string, (typeof points)[number]>();
  for (const point of points) {
    const other = best.get(point.system);
    if (other === undefined || better(point.value, other.value)) best.set(point.system, point);
  }
  const entries = [...best.values()];
  const ranks = rankEntries(entries, order === 'desc' ? 'higher' : 'lower');
  const brute = entries.map((entry) => {
    const ahead = (a: typeof entry, b: typeof entry) => (order === 'desc' ? a.low > b.high : a.high < b.low);
    const rank = 1 + entries.filter((other) => ahead(other, entry)).length;
    return [entry.system, entry.value, rank, entries.length - entries.filter((other) => ahead(entry, other)).length];
  });
  expect(brute.map(([, , rank, last]) => [rank, last])).toEqual(ranks.map(({ spread }) => spread));
  return { brute, best };
}

describe.each([1, 2, 3, 4, 5, 6])('a random board (seed %d)', (seed) => {
  const random = generator(seed);
  const pick = (most: number) => Math.floor(random() * most);
  const measured: Measured[] = Array.from({ length: 24 }, (_, system) =>
    Array.from({ length: 1 + pick(3) }, (__, point): Measured => {
      // Few distinct centres produce ties and overlapping intervals; some points have no spread.
      const centre = 100 + 10 * pick(5);
      const spread = pick(3) === 0 ? 0 : 12 * random();
      return {
        system: `b${system}`,
        level: 2 ** point,
        metrics: Array.from({ length: 1 + pick(4) }, () => {
          const value = Math.round((centre + spread * (random() - 0.5)) * 8) / 8;
          return { output_tok_s: value, ttft_ms_mean: value };
        }),
      };
    }),
  ).flat();

  test.each([
    ['output_tok_s', 'desc'],
    ['output_tok_s', 'asc'],
    ['ttft_ms_mean', 'asc'],
    ['ttft_ms_mean', 'desc'],
  ] as const)('%s %s matches a naive ranking, on one page and on several', async (name, order) => {
    await insert(measured);
    const whole = await ask(name, { order, limit: 200 });
    const { brute } = expectedBoard(measured, name, order);
    const ids = new Map(whole.rows.map((row) => [row.system.engine_version, row.system.id]));
    expect(ids.size).toBe(24);
    const sorted = brute.toSorted(([a, x], [b, y]) => {
      const difference = order === 'desc' ? Number(y) - Number(x) : Number(x) - Number(y);
      return difference || ((ids.get(String(a)) ?? '') < (ids.get(String(b)) ?? '') ? -1 : 1);
    });
    expect(shown(whole.rows)).toEqual(sorted);
    expect(whole.hasMore).toBe(false);

    const paged: LeaderboardRow[] = [];
    let after: LeaderboardQuestion['after'] = null;
    for (let more = true; more; ) {
      const page = await ask(name, { order, limit: 3, after });
      paged.push(...page.rows);
      more = page.hasMore;
      const last = page.rows.at(-1);
      expect(last).toBeDefined();
      after = last?.place ?? null;
      expect(page.excluded).toEqual(whole.excluded);
    }
    expect(shown(paged)).toEqual(shown(whole.rows));
    expect(paged.map((row) => row.point.point_id)).toEqual(whole.rows.map((row) => row.point.point_id));
  });
});

test('ranks five entries with three tied as 1, 1, 1, 3 and 5', async () => {
  // Two runs m ± d have a 95 % interval of m ± 12.706 d.
  const pair = (mean: number, half: number) => throughput(mean - half / 12.706, mean + half / 12.706);
  await insert([
    { system: 'a', metrics: pair(101.2, 1.3) },
    { system: 'b', metrics: pair(100.0, 1.1) },
    { system: 'c', metrics: pair(97.0, 0.8) },
    { system: 'd', metrics: pair(96.9, 4.9) },
    { system: 'e', metrics: pair(90.0, 1.0) },
  ]);
  const { rows } = await ask('output_tok_s');
  expect(rows.map((row) => [row.system.engine_version, row.rank])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 3],
    ['d', 1],
    ['e', 5],
  ]);
});

test('returns no rows for an empty board', async () => {
  expect(await ask('output_tok_s')).toEqual({
    rows: [],
    excluded: {},
    isExcludedAtLeast: false,
    imported: 0,
    isImportedAtLeast: false,
    workload: null,
    definition: null,
    hasMore: false,
  });
});
