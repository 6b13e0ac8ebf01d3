import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAccount,
  addEndpoint,
  addRun,
  startWorkerProcess,
  type WorkerProcess,
  waitForRun,
} from './testing/world.ts';

const testDatabase = useTestDatabase();
let database: Database;
let ids: { accountId: string; endpointId: string };
let worker: WorkerProcess;
let server: FakeServer;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  server = await startFakeServer({ ttftMs: 10, itlMs: 5 }, { isSilent: true });
  const accountId = await addAccount(database, 'operator');
  ids = { accountId, endpointId: await addEndpoint(database, { accountId, name: 'one', port: server.port }) };
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await server.close();
  await database.close();
});

const item = (
  concurrency: number,
  requests: number,
  scenario: object | string = { input_tokens: 64, output_tokens: 16 },
) => ({
  scenario,
  load: { mode: 'concurrency', level: concurrency },
  ...{ warmup: 0, requests },
});

interface Row {
  name: string;
  attempt: number;
  until: { repetitions: number; widest: { figure: string; width: number } | null; is_stable: boolean } | null;
}

/** The measured points, named by their load and repetition. */
const pointsOf = (id: string) =>
  database.sql<Row[]>`
    select (point -> 'load' ->> 'level') || '/' || (point ->> 'repetition') as name, attempt, summary -> 'until' as until
    from run_points where run_id = ${id} and measured_at is not null order by ordinal`;

async function totalsOf(id: string): Promise<Record<string, number>> {
  const [row] = await database.sql<Record<string, number>[]>`
    select points_done, points_total, requests_done, requests_total,
      (select count(*)::int from results r join submissions s on s.id = r.submission_id where s.run_id = ${id}) as results
    from runs where id = ${id}`;
  return row ?? {};
}

test('repeats each point until it is stable', async () => {
  // Stable with any figures: three repetitions are enough.
  const id = await addRun(database, ids, { plan: [item(1, 4), item(2, 4)], until: 'ci=10000%,max=5' });
  expect(await totalsOf(id)).toMatchObject({ points_total: 10, requests_total: 40 });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 6 });
  const points = await pointsOf(id);
  expect(points.map(({ name }) => name)).toEqual(['1/1', '2/1', '1/2', '2/2', '1/3', '2/3']);
  expect(points.map(({ until }) => [until?.repetitions, until?.is_stable])).toEqual([
    ...[
      [1, false],
      [1, false],
      [2, false],
      [2, false],
    ],
    ...[
      [3, true],
      [3, true],
    ],
  ]);
  expect(points[0]?.until?.widest).toBeNull();
  expect(points[5]?.until?.widest?.width).toBeGreaterThan(0);
  expect(await totalsOf(id)).toEqual({
    ...{ points_done: 6, points_total: 6, requests_done: 24, requests_total: 24, results: 6 },
  });
});

test('repeats a point that does not become stable up to the maximum, also if the worker stops', async () => {
  const id = await addRun(database, ids, { plan: [item(1, 40)], until: 'ci=0.000001%,max=5' });
  await expect
    .poll(async () => (await database.sql`select 1 from runs where id = ${id} and requests_done > 0`).length)
    .toBe(1);
  await worker.stop();
  worker = startWorkerProcess(testDatabase.url);
  await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone === 2 });
  await worker.kill();
  await database.sql`update runs set lease_until = now() - interval '1 second' where id = ${id}`;
  worker = startWorkerProcess(testDatabase.url);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 5, attempt: 3 });
  const points = await pointsOf(id);
  expect(points.map(({ name }) => name)).toEqual(['1/1', '1/2', '1/3', '1/4', '1/5']);
  // The first one is partial, so it is not judged.
  expect(points[0]).toMatchObject({ attempt: 1, until: null });
  expect(points.map(({ until }) => until?.repetitions)).toEqual([undefined, 2, 3, 4, 5]);
  expect(points[1]?.until?.widest).toBeNull();
  expect(points[4]?.until).toMatchObject({ is_stable: false, widest: { width: expect.any(Number) } });
  expect(await totalsOf(id)).toMatchObject({ points_total: 5, results: 5 });
});

test('does not repeat a point that cannot be measured', async () => {
  const plan = [item(1, 2, 'sharegpt'), item(2, 4)];
  const id = await addRun(database, ids, { plan, until: 'ci=10000%' });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 4 });
  expect((await pointsOf(id)).map(({ name }) => name)).toEqual(['1/1', '2/1', '2/2', '2/3']);
  expect(await totalsOf(id)).toMatchObject({ points_total: 4, results: 3 });
});
