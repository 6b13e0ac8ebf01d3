import { noFilters } from '@inferboard/core/filters/filters';
import { findMetric, type MetricName } from '@inferboard/core/metrics/index';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertAccount } from '../../accounts/account.ts';
import { createDatabase, type Database } from '../../connection/client.ts';
import { useTestDatabase } from '../../testing/index.ts';
import { insertMeasured, type Measured } from '../../testing/insert-measured.ts';
import { listLeaderboard } from './leaderboard-list.ts';

const testDatabase = useTestDatabase();
let database: Database;
let insert: (measured: readonly Measured[]) => Promise<unknown>;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  const account = await insertAccount(database.db, 'submitter');
  insert = (measured) => insertMeasured(database, account?.id ?? '', measured);
});
afterAll(() => database.close());

const point = (system: string, output_tok_s: number): Measured => ({
  system,
  level: 8,
  metrics: [{ output_tok_s, itl_ms_mean: output_tok_s / 100, ttft_ms_p99: 1000 / output_tok_s }],
});

async function ask({ db }: Database, shown: readonly MetricName[] = ['output_tok_s']) {
  const rankBy = findMetric('output_tok_s');
  if (rankBy === null) throw new Error('no metric');
  const asked = { rankBy, order: 'desc' as const, filters: noFilters, definition: null, limit: 50, after: null };
  return (await listLeaderboard(db, { ...asked, shown })).rows;
}

/** Asks through connections that know nothing of earlier requests. */
async function askAnew() {
  const other = createDatabase(testDatabase.url, { poolSize: 1 });
  return ask(other).finally(() => other.close());
}

test('short entries that are kept follow every change of their rows', async () => {
  await insert([point('a', 700), point('b', 650)]);
  const before = await ask(database);
  expect(before.map(({ value }) => value)).toEqual([700, 650]);
  expect(await ask(database)).toEqual(before);

  await insert([point('a', 710)]);
  const [repeated, other] = await ask(database);
  expect(repeated).toMatchObject({ value: 705, point: { results: 2, statistics: { output_tok_s: { n: 2 } } } });
  expect(other?.point).toEqual(before[1]?.point);

  for (const change of [
    "update systems set gpu_count = 4 where engine_version = 'b'",
    "update scenarios set name = name || '-renamed'",
    "update point_statistics set findings = 3, derived = '{itl_ms_mean}'",
  ]) {
    const known = await ask(database);
    await database.sql.unsafe(change);
    const changed = await ask(database);
    expect(changed).not.toEqual(known);
    expect(changed).toEqual(await askAnew());
  }
});
