import { type Bound, type Filters, noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric, type MetricName } from '@inferboard/core/metrics/index';
import { filteredSpreadPlaces } from '@inferboard/core/ranking/board';
import { createRandom } from '@inferboard/core/testing/random';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertMeasured, type Measured } from '../testing/insert-measured.ts';
import { type LeaderboardQuestion, listLeaderboard } from './lists/leaderboard-list.ts';

const testDatabase = useTestDatabase();
let database: Database;

/** More points than one read returns, with several per system. Few differ much in value. */
const points = 2400;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 2 });
  const accountId = (await insertAccount(database.db, 'Submitter'))?.id ?? '';
  const random = createRandom(11);
  const measured = Array.from({ length: points }, (_, at): Measured => {
    const output_tok_s = Math.round(1000 + 400 * random.next());
    const itl_ms_mean = Math.round(20_000 / output_tok_s + 10 * random.next());
    return {
      system: `0.${at % 700}`,
      level: 1 + Math.floor(at / 700),
      gpu: random.pick(['h100-sxm', 'mi300x', 'rtx-4090']),
      metrics: [{ output_tok_s, itl_ms_mean, total_tok_s: 2 * output_tok_s }],
    };
  });
  await insertMeasured(database, accountId, measured);
}, 120_000);
afterAll(() => database.close());

const bound = (metric: MetricName, side: Bound['side'], value: number): Bound => ({ metric, side, value });

async function ask(filters: Partial<Filters>, over: Partial<LeaderboardQuestion>) {
  const rankBy = findMetric('output_tok_s') as Metric; // exists in the registry
  const question = { rankBy, order: 'desc', definition: null, limit: 50, after: null, ...over } as const;
  const { rows, workload } = await listLeaderboard(database.db, { ...question, filters: { ...noFilters, ...filters } });
  return {
    workload: workload?.id,
    rows: rows.map(({ system, value, rank, spread, point }) => [system.id, point.load_level, value, rank, spread]),
  };
}

// `board_figures` lacks this metric, so a bound on it forces a row-by-row walk. Every point meets the bound.
const byRows = bound('total_tok_s', 'min', 1);

describe('a board from board_figures equals one that is read row by row', () => {
  test.each([
    ['if few points meet the bound', [bound('itl_ms_mean', 'max', 15)], {}],
    ['if many points meet the bound', [bound('itl_ms_mean', 'max', 26)], {}],
    ['if all points meet the bound, with a page of all systems', [bound('itl_ms_mean', 'max', 1000)], { limit: 700 }],
    ['if no point meets the bound', [bound('itl_ms_mean', 'max', 1)], {}],
    ['with two bounds', [bound('itl_ms_mean', 'max', 24), bound('output_tok_s', 'min', 1100)], {}],
    ['if the subject is the GPU', [bound('itl_ms_mean', 'max', 24)], { subject: 'gpu' }],
    [
      'if ranked by a metric that has no bound',
      [bound('itl_ms_mean', 'max', 24)],
      { rankBy: findMetric('total_tok_s') as Metric },
    ],
  ] as const)('%s', async (_, bounds, over) => {
    const fast = await ask({ bounds: [...bounds] }, over);
    expect(fast).toEqual(await ask({ bounds: [...bounds, byRows] }, over));
    if (bounds[0].value > 1) expect(fast.rows.length).toBeGreaterThan(1);
  });

  test('if filtered by one GPU', async () => {
    const gpu: Filters['gpu'] = [{ by: 'id', id: 'mi300x' }];
    const fast = await ask({ gpu }, {});
    expect(fast).toEqual(await ask({ gpu, bounds: [byRows] }, {}));
    expect(fast.rows).toHaveLength(50);
  });

  test('if the subject is the GPU, and rows are filtered by system', async () => {
    const filters = { bounds: [bound('itl_ms_mean', 'max', 24)], minGpuCount: 1 };
    const fast = await ask(filters, { subject: 'gpu' });
    expect(fast).toEqual(await ask({ ...filters, bounds: [...filters.bounds, byRows] }, { subject: 'gpu' }));
    expect(fast.rows.length).toBeGreaterThan(1);
  });

  test('if filtered by a GPU that most systems have', async () => {
    const filters = { gpu: (['h100-sxm', 'mi300x'] as const).map((id) => ({ by: 'id' as const, id })) };
    const bounds = [bound('itl_ms_mean', 'max', 24)];
    const fast = await ask({ ...filters, bounds }, {});
    expect(fast).toEqual(await ask({ ...filters, bounds: [...bounds, byRows] }, {}));
    expect(fast.rows).toHaveLength(50);
  });

  test('with wide intervals below the page', async () => {
    // Half the value: far more than usual intervals. Some of these claims meet the bound, and one is of a system on the page.
    await database.sql`
      update board_rows r set n = 4, sd = abs(r.worth) / 2, reach = r.worth + abs(r.worth)
      from boards b where b.id = r.board_id and b.metric = 'output_tok_s' and r.point_id % 40 = 0`;
    const bounds = [bound('itl_ms_mean', 'max', 24)];
    const fast = await ask({ bounds }, {});
    expect(fast).toEqual(await ask({ bounds: [...bounds, byRows] }, {}));
    expect(fast.rows).toHaveLength(50);
    expect(fast.rows.map(([, , , , spread]) => spread)).toContainEqual(
      expect.objectContaining({ last: 50 + filteredSpreadPlaces, isAtLeast: true }),
    );
  });

  test('with disputed claims at the top', async () => {
    const changed = await database.sql`
      update board_rows set disputed = true where point_id in (
        select r.point_id from board_rows r join boards b on b.id = r.board_id
        where b.metric = 'output_tok_s' and r.is_best order by r.worth desc limit 5)`;
    expect(changed.count).toBeGreaterThanOrEqual(5);
    const bounds = [bound('itl_ms_mean', 'max', 1000)];
    const fast = await ask({ bounds }, {});
    expect(fast).toEqual(await ask({ bounds: [...bounds, byRows] }, {}));
    expect(fast.rows).toHaveLength(50);
  });
});
