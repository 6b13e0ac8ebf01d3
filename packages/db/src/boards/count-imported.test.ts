import { noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertMeasured, type Measured } from '../testing/insert-measured.ts';
import { type LeaderboardQuestion, listLeaderboard } from './lists/leaderboard-list.ts';

const testDatabase = useTestDatabase();
let database: Database;

const gpus = ['h100-sxm', 'h200-sxm'];
/** Systems with results that are imported, measured by a user, or both, at different loads. */
const measured = (isImported: boolean): Measured[] =>
  Array.from({ length: 24 }, (_, at) => at)
    .filter((at) => (isImported ? at % 3 !== 0 : at % 3 !== 1))
    .flatMap((at) =>
      [1, 8].map((level) => ({
        system: `v${at}`,
        gpu: gpus[at % gpus.length] ?? '',
        level: isImported ? level : level + 1,
        isImported,
        metrics: [
          { output_tok_s: 100 + ((at * 37) % 50) * level + (isImported ? 3 : 0), itl_ms_mean: 4 + at / 4 + level },
        ],
      })),
    );

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 2 });
  const importer = (await insertAccount(database.db, 'importer'))?.id ?? '';
  const user = (await insertAccount(database.db, 'user'))?.id ?? '';
  await insertMeasured(database, importer, measured(true));
  await insertMeasured(database, user, measured(false));
});
afterAll(() => database.close());

const ask = (over: Partial<LeaderboardQuestion>) =>
  listLeaderboard(database.db, {
    ...{ rankBy: findMetric('output_tok_s') as Metric, order: 'desc', filters: noFilters, definition: null },
    ...{ limit: 5, after: null, ...over },
  });

const questions: [string, Partial<LeaderboardQuestion>][] = [
  ['all systems', {}],
  ['in ascending order', { order: 'asc' }],
  ['of one GPU', { filters: { ...noFilters, gpu: [{ by: 'family', family: 'h100' }] } }],
  ['with a bound', { filters: { ...noFilters, bounds: [{ metric: 'itl_ms_mean', side: 'max', value: 9 }] } }],
  ['of one load', { filters: { ...noFilters, loadLevel: [1, 2] } }],
  ['of imported results', { filters: { ...noFilters, trust: ['imported'] } }],
  ['of a metric without a stored board', { rankBy: findMetric('itl_ms_mean') as Metric, order: 'asc' }],
  ['one row for each GPU', { subject: 'gpu', limit: 2 }],
  ['one row for each load', { subject: 'load', limit: 1 }],
];

describe('a board counts its imported rows', () => {
  test.each(questions)('%s', async (_, question) => {
    const whole = await ask({ ...question, limit: 500 });
    const imported = whole.rows.filter(({ point }) => point.trust === 'imported').length;
    expect(whole).toMatchObject({ hasMore: false, imported, isImportedAtLeast: false });
    expect(imported).toBeGreaterThan(0);
    const first = await ask(question);
    expect(first).toMatchObject({ imported, isImportedAtLeast: false });
    const after = first.rows.at(-1)?.place ?? null;
    expect(await ask({ ...question, after, chosen: first.definition?.id ?? null })).toMatchObject({ imported });
  });

  test('reports a lower bound if counting stops before the end', async () => {
    const importer = (await insertAccount(database.db, 'importer of many'))?.id ?? '';
    const many = Array.from({ length: 1001 }, (_, at) => ({
      ...{ system: `w${at}`, isImported: true },
      metrics: [{ output_tok_s: 1000 + at, itl_ms_mean: 60 }],
    }));
    await insertMeasured(database, importer, many);
    const filters = { ...noFilters, bounds: [{ metric: 'itl_ms_mean', side: 'min', value: 50 }] } as const;
    const bounded = { filters: { ...filters, bounds: [...filters.bounds] } };
    expect(await ask(bounded)).toMatchObject({ imported: 1000, isImportedAtLeast: true });
    expect(await ask({ ...bounded, countsAll: true })).toMatchObject({ imported: 1001, isImportedAtLeast: false });
    expect(await ask({})).toMatchObject({ imported: 1017, isImportedAtLeast: false });
  });
});
