import { findMetric } from '@inferboard/core/metrics/index';
import { insertAccount } from '@inferboard/db/accounts/account';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { judgeResults } from '@inferboard/db/history/changes-judge';
import { walkResults } from '@inferboard/db/history/changes-walk';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { insertMeasured, type Measured } from '@inferboard/db/testing/insert-measured';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findRegressions } from './find-regressions.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'owner'))?.id ?? '';
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems, submissions, artifacts cascade`;
});

const around = (metric: string, mean: number) => [-1, 0, 1, 0].map((by) => ({ [metric]: mean * (1 + by / 1000) }));
const speed = (system: string, mean: number, level = 8): Measured => ({
  system,
  level,
  metrics: around('output_tok_s', mean),
});

/** Stores points as one submission and returns its id. */
async function submit(...measured: Measured[]): Promise<string> {
  await insertMeasured(database, accountId, measured);
  const [row] = await database.sql<{ id: string }[]>`select id from submissions order by id desc limit 1`;
  return row?.id ?? '';
}

/** Moves a submission back by a number of days. */
async function backdate(id: string, days: number): Promise<void> {
  await database.sql`
    update results set created_at = created_at - make_interval(days => ${days}) where submission_id = ${id}`;
}

/** The regressions caused by submissions, in the metric that lists of changes show first. */
const findShown = async (...ids: string[]) =>
  (await findRegressions(database.db, ids)).filter(({ metric }) => metric === 'output_tok_s_per_gpu');

/** The regressions that GET /v1/changes would list. */
async function listed(name: string) {
  const metric = findMetric(name) ?? expect.fail(name);
  const walked = await walkResults(database.db, {
    metric,
    filters: { include: [], bounds: [] },
    from: null,
    limit: 100,
  });
  const changes = await judgeResults(database.db, walked, { metric, types: null, include: [] });
  return changes.filter(({ verdict }) => verdict === 'regression');
}

test('reports a slower engine version with both figures, as in the list of changes', async () => {
  await submit(speed('0.10.2', 1000), speed('0.10.2', 2000, 16));
  const slower = await submit(speed('0.11.0', 900), speed('0.11.0', 2000, 16));
  const all = await findRegressions(database.db, [slower]);
  // All metrics that GET /v1/changes compares: the measured one and those derived from it.
  expect(all.map(({ metric }) => metric)).toEqual(['output_tok_s', 'output_tok_s_per_gpu', 'tok_per_joule']);
  const regressions = all.filter(({ metric }) => metric === 'output_tok_s_per_gpu');
  expect(regressions).toEqual([
    {
      metric: 'output_tok_s_per_gpu',
      unit: 'tok/s',
      definition: null,
      type: 'version',
      verdict: 'regression',
      effect: expect.closeTo(-0.1, 9),
      interval: [expect.closeTo(0.9, 2), expect.closeTo(0.9, 2)],
      system_id: regressions[0]?.after.system_id,
      scenario: { id: 'chatbot', input_tokens: 1024, output_tokens: 256, dataset: null },
      load: { mode: 'concurrency', level: 8, burstiness: null, max_concurrency: null },
      before: expect.objectContaining({ engine_version: '0.10.2', n: 4, mean: 1000 }),
      after: expect.objectContaining({ engine_version: '0.11.0', n: 4, mean: 900 }),
      result_id: expect.stringMatching(/^res_/),
    },
  ]);
  const [change] = await listed('output_tok_s_per_gpu');
  expect(change).toMatchObject({
    resultId: regressions[0]?.result_id,
    effect: regressions[0]?.effect,
    interval: regressions[0]?.interval,
    type: 'version',
  });
});

test('does not report a first version or a faster version', async () => {
  const first = await submit(speed('0.10.2', 1000));
  expect(await findRegressions(database.db, [first])).toEqual([]);
  const faster = await submit(speed('0.11.0', 1100));
  expect(await findRegressions(database.db, [faster])).toEqual([]);
  expect(await findRegressions(database.db, [])).toEqual([]);
});

test('reports higher latencies by metric', async () => {
  const of = (system: string, ttft: number, e2e: number): Measured => ({
    system,
    metrics: around('ttft_ms_mean', ttft).map((values, at) => ({ ...values, ...around('e2e_ms_mean', e2e)[at] })),
  });
  await submit(of('0.10.2', 200, 5000));
  const slower = await submit(of('0.11.0', 250, 6000));
  expect(await findRegressions(database.db, [slower])).toMatchObject([
    { metric: 'ttft_ms_mean', unit: 'ms', effect: expect.closeTo(-0.25, 9) },
    { metric: 'e2e_ms_mean', unit: 'ms', effect: expect.closeTo(-0.2, 9) },
  ]);
});

test('reports a slower day of the same version once, regardless of the number of measurements', async () => {
  await backdate(await submit(speed('0.10.2', 1000)), 2);
  const slow = await submit(speed('0.10.2', 900));
  expect(await findShown(slow)).toMatchObject([
    { type: 'day', before: { mean: 1000, n: 4 }, after: { mean: 900, n: 4 } },
  ]);
  const again = await submit(speed('0.10.2', 901));
  expect(await findRegressions(database.db, [again])).toEqual([]);
});

// Runs with one repetition each reach a verdict only together.
test('reports a day that becomes a regression with the submission that caused it', async () => {
  await backdate(await submit(speed('0.10.2', 1000)), 2);
  const once = (value: number) => submit({ system: '0.10.2', metrics: [{ output_tok_s: value }] });
  for (const value of [900, 901]) expect(await findRegressions(database.db, [await once(value)])).toEqual([]);
  const third = await once(899);
  const regressions = await findShown(third);
  expect(regressions).toMatchObject([{ type: 'day', after: { n: 3, mean: 900 } }]);
  expect(regressions[0]?.result_id).toBe((await listed('output_tok_s_per_gpu'))[0]?.resultId);
});

test('a held result is not a regression', async () => {
  await submit(speed('0.10.2', 1000));
  const held = await submit({ ...speed('0.11.0', 900), status: 'quarantined' });
  expect(await findRegressions(database.db, [held])).toEqual([]);
});

test('combines the submissions of one run', async () => {
  await submit(speed('0.10.2', 1000));
  const half = (values: number[]): Measured => ({
    system: '0.11.0',
    metrics: values.map((v) => ({ output_tok_s: v })),
  });
  const [a, b] = [await submit(half([900, 901])), await submit(half([899, 900]))];
  expect(await findShown(a, b)).toMatchObject([{ type: 'version', after: { n: 4, mean: 900 } }]);
});

test("works within the caller's transaction", async () => {
  await submit(speed('0.10.2', 1000));
  const slower = await submit(speed('0.11.0', 900));
  const found = await database.db.transaction((tx) => findRegressions(tx, [slower]));
  expect(found.map(({ metric }) => metric)).toContain('output_tok_s_per_gpu');
});
