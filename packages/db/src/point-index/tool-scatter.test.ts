import { noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import type { ChosenDefinitions } from '@inferboard/core/ranking/census';
import { rankingNeeds } from '@inferboard/core/ranking/point-table';
import { scatterByTool } from '@inferboard/core/ranking/tool-scatter';
import { assumedInterval, pooledCv } from '@inferboard/core/statistics/pooled-cv';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../client.ts';
import { insertAccount } from '../queries/account.ts';
import { type LeaderboardRow, listLeaderboard } from '../queries/leaderboard-list.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertMeasured, type Measured } from '../testing/insert-measured.ts';
import { readPoints } from './point-index.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'submitter'))?.id ?? '';
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate results, point_statistics, points, scenarios, systems, submissions, artifacts cascade`;
});

const insert = (measured: readonly Measured[], tool?: string) => insertMeasured(database, accountId, measured, tool);

function metricOf(name: string): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const ask = (rankBy = 'output_tok_s', order: 'asc' | 'desc' = 'desc') =>
  listLeaderboard(database.db, { rankBy: metricOf(rankBy), order, filters: noFilters, limit: 50, after: null });
const throughput = (...values: number[]) => values.map((output_tok_s) => ({ output_tok_s }));
const ranks = (rows: LeaderboardRow[]) => rows.map((row) => [row.system.engine_version, row.rank, row.rank_last]);
/** The scatter of each tool by the formulas that were chosen, over all points. */
const variations = (name = 'output_tok_s', chosen: ChosenDefinitions | null = null) => {
  const ranked = metricOf(name);
  return readPoints(
    database.db,
    { needs: rankingNeeds(ranked, []), filters: noFilters, ranked },
    (table) => [...scatterByTool(table, ranked, chosen)].map(([tool, pooled]) => ({ tool, ...pooled })),
    async (_, found) => found,
  );
};

/** Mean 100, sd 1: cv 1 % with 2 degrees of freedom, t 4.302653, an assumed interval of 4.302653 % to either side. */
const repeated: Measured = { system: 'repeated', metrics: throughput(99, 100, 101) };

describe('a single measurement', () => {
  test('ranks by the interval that its tool assumes for it', async () => {
    await insert([
      repeated,
      // 191.39..208.61, 177.04..192.96 and 162.69..177.31: neighbours tie, the ends do not.
      { system: 'a', metrics: throughput(200) },
      { system: 'b', metrics: throughput(185) },
      { system: 'c', metrics: throughput(170) },
    ]);
    const { rows } = await ask();
    expect(ranks(rows)).toEqual([
      ['a', 1, 2],
      ['b', 1, 3],
      ['c', 2, 3],
      ['repeated', 4, 4],
    ]);
    expect(rows[0]?.assumed).toMatchObject({ cv: expect.closeTo(0.01, 12), points: 1 });
    expect(rows[0]?.assumed?.interval[0]).toBeCloseTo(191.394694, 5);
    expect(rows[0]?.assumed?.interval[1]).toBeCloseTo(208.605306, 5);
    // What was repeated has an interval of its own, and a single one still has none that was measured.
    expect(rows[3]?.assumed).toBeNull();
    expect(rows[0]?.point.statistics.output_tok_s?.ci95).toBeNull();
  });

  test('is ranked alike where lower is better', async () => {
    const ttft = (...values: number[]) => values.map((ttft_ms_mean) => ({ ttft_ms_mean }));
    await insert([
      { system: 'repeated', metrics: ttft(99, 100, 101) },
      { system: 'a', metrics: ttft(200) },
      { system: 'b', metrics: ttft(185) },
      { system: 'c', metrics: ttft(170) },
    ]);
    expect(ranks((await ask('ttft_ms', 'asc')).rows)).toEqual([
      ['repeated', 1, 1],
      ['c', 2, 3],
      ['b', 2, 4],
      ['a', 3, 4],
    ]);
  });

  test('has none where its tool has no repeated point', async () => {
    await insert([repeated]);
    await insert([{ system: 'a', metrics: throughput(200) }], 'once only');
    await insert([{ system: 'b', metrics: throughput(199) }], 'once only');
    const { rows } = await ask();
    expect(ranks(rows)).toEqual([
      ['a', 1, 1],
      ['b', 2, 2],
      ['repeated', 3, 3],
    ]);
    expect(rows.map(({ assumed }) => assumed)).toEqual([null, null, null]);
  });

  test('takes the scatter of its own tool', async () => {
    await insert([repeated, { system: 'a', metrics: throughput(200) }]);
    await insert([{ system: 'exact', metrics: throughput(50, 50) }], 'exact');
    await insert([{ system: 'b', metrics: throughput(190) }], 'exact');
    const { rows } = await ask();
    expect(rows.map(({ assumed }) => assumed?.interval.map(Math.round))).toEqual([
      [191, 209],
      [190, 190],
      undefined,
      undefined,
    ]);
    expect(ranks(rows).slice(0, 2)).toEqual([
      ['a', 1, 1],
      ['b', 2, 2],
    ]);
  });

  // Two runs that differ by half: nothing is known of a third, but it was not below 0.
  test('is never below 0', async () => {
    await insert([
      { system: 'wild', metrics: throughput(1, 1.4) },
      { system: 'a', metrics: throughput(200) },
    ]);
    expect((await ask()).rows[0]?.assumed?.interval[0]).toBe(0);
  });
});

test('a summary of unknown n ranks by its mean alone', async () => {
  const repeats = { n: null, sd: { output_tok_s: 50 }, samples: null };
  await insert([
    repeated,
    { system: 'a', metrics: throughput(200), repeats },
    { system: 'b', metrics: throughput(199) },
  ]);
  const { rows } = await ask();
  expect(rows.map(({ assumed }) => assumed?.interval ?? null)).toEqual([
    null,
    [expect.closeTo(190.43772, 4), expect.closeTo(207.56228, 4)],
    null,
  ]);
  expect(await variations()).toHaveLength(1);
});

describe('the scatter of a tool', () => {
  test('is that of all its points, pooled as the formula does', async () => {
    await insert([
      repeated,
      { system: 'b', metrics: throughput(190, 210) },
      { system: 'c', metrics: throughput(10, 10, 10, 10) },
      { system: 'd', metrics: throughput(7) },
    ]);
    const expected = pooledCv([
      { n: 3, cv: 0.01 },
      { n: 2, cv: Math.SQRT2 * 0.05 },
      { n: 4, cv: 0 },
    ]);
    const [found, ...others] = await variations();
    expect(others).toEqual([]);
    expect(found).toMatchObject({ tool: 'native', df: expected?.df, groups: 3 });
    expect(found?.cv).toBeCloseTo(expected?.cv ?? 0, 12);
    const single = (await ask()).rows.find(({ system }) => system.engine_version === 'd');
    const [low, high] = expected === null ? [] : assumedInterval(7, expected);
    expect(single?.assumed?.interval).toEqual([expect.closeTo(low ?? 0, 9), expect.closeTo(high ?? 0, 9)]);
  });

  test('counts a summary with n and sd for its repetitions', async () => {
    const repeats = { n: 5, sd: { output_tok_s: 2 }, samples: null };
    await insert([{ system: 'a', metrics: throughput(100), repeats }]);
    expect(await variations()).toEqual([{ tool: 'native', cv: expect.closeTo(0.02, 12), df: 4, groups: 1 }]);
  });

  test('leaves out points that are quarantined, of several tools, or 0', async () => {
    await insert([
      repeated,
      { system: 'q', metrics: throughput(10, 90), status: 'quarantined' },
      { system: 'zero', metrics: throughput(0, 0) },
      { system: 'shared', metrics: throughput(100) },
    ]);
    await insert([{ system: 'shared', metrics: throughput(900) }], 'another tool');
    expect(await variations()).toMatchObject([{ tool: 'native', groups: 1, df: 2 }]);
  });

  test('is told by formula, and a board takes those that it ranks', async () => {
    const decode = (system: string, definition: string, ...values: number[]): Measured => ({
      system,
      metrics: values.map((decode_tok_s) => ({ decode_tok_s })),
      definitions: { decode_tok_s: definition },
    });
    await insert([
      decode('a', 'client', 99, 100, 101),
      decode('b', 'client', 200),
      decode('c', 'in_process', 20, 22, 24),
    ]);
    const found = (ids: string[]) => variations('decode_tok_s', { group: 'client', ids });
    expect(await found(['client'])).toMatchObject([{ cv: expect.closeTo(0.01, 12), df: 2, groups: 1 }]);
    expect(await found(['in_process'])).toMatchObject([{ df: 2, groups: 1 }]);
    expect(await variations('decode_tok_s')).toMatchObject([{ df: 4, groups: 2 }]);
    expect(await found([])).toEqual([]);
    const { rows } = await ask('decode_tok_s');
    expect(rows[0]).toMatchObject({ value: 200, assumed: { cv: expect.closeTo(0.01, 12), points: 1 } });
  });
});
