import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { unpack } from '@inferboard/db/copy/packing';
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
  server = await startFakeServer({ ttftMs: 10, itlMs: 2 }, { isSilent: true });
  const accountId = await addAccount(database, 'operator');
  ids = { accountId, endpointId: await addEndpoint(database, { accountId, name: 'one', port: server.port }) };
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await server.close();
  await database.close();
});

const load = { mode: 'concurrency', level: 4 };
const prefix = { groups: 2, tokens: 100 };

interface Row {
  workload: string;
  status: string;
  input_tokens: number;
  requests_ok: number;
}

/** The results of a run, by workload. */
const resultsOf = (id: string) =>
  database.sql<Row[]>`
    select sc.dataset as workload, r.status, r.input_tokens, r.requests_ok
    from results r join submissions s on s.id = r.submission_id join points p on p.id = r.point_id
    join scenarios sc on sc.id = p.scenario_id
    where s.run_id = ${id} order by 1`;

test('sends prompts with drawn lengths and shared prefixes', async () => {
  const id = await addRun(database, ids, {
    plan: [
      { scenario: { input_tokens: 'uniform:40:80', output_tokens: 'uniform:5:9' }, load, requests: 40 },
      { scenario: { input_tokens: 60, output_tokens: 6, prefix }, load, requests: 40 },
    ],
  });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 2 });
  const results = await resultsOf(id);
  expect(results).toMatchObject([
    { workload: 'lengths-uniform-40-80-to-uniform-5-9', requests_ok: 40 },
    { workload: 'prefix-2x100', requests_ok: 40 },
  ]);
  const [lengths = 0, prefixed = 0] = results.map((result) => result.input_tokens / result.requests_ok);
  expect(lengths).toBeGreaterThan(45);
  expect(lengths).toBeLessThan(75);
  expect(Math.abs(prefixed - 160)).toBeLessThan(10);
});

test('sends a mix of request shapes by weight, and the records name the shape of each request', async () => {
  const mix = [
    { input_tokens: 40, output_tokens: 3, weight: 3 },
    { input_tokens: 200, output_tokens: 6 },
  ];
  const id = await addRun(database, ids, { plan: [{ scenario: { mix }, load, requests: 60 }], seed: 3 });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  expect(await resultsOf(id)).toMatchObject([{ workload: 'mix-40x3-3-200x6-1', requests_ok: 60 }]);
  const [row] = await database.sql<{ bytes: Uint8Array; packing: 'zstd' | null }[]>`
    select a.bytes, a.packing from artifacts a join submissions s on s.artifact_sha256 = a.sha256
    where s.run_id = ${id}`;
  if (row === undefined) throw new Error(`${id} has no result`);
  const { results } = JSON.parse(Buffer.from(await unpack(row)).toString());
  const requests: { workload: string; max_tokens: number }[] = results[0].requests;
  const shapes = Map.groupBy(requests, ({ workload, max_tokens }) => `${workload} ${max_tokens}`);
  expect([...shapes.keys()].toSorted()).toEqual(['200x6 6', '40x3 3']);
  const share = (shapes.get('40x3 3')?.length ?? 0) / requests.length;
  expect(Math.abs(share - 0.75)).toBeLessThan(0.2);
});

test('sends conversations, whose turns are requests', async () => {
  const scenario = { input_tokens: 40, output_tokens: 6, turns: 3, think_s: 'uniform:0.01:0.02' };
  const id = await addRun(database, ids, { plan: [{ scenario, load, requests: 8, warmup: 2 }], seed: 5 });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  const [run] = await database.sql`select requests_done::int, requests_total::int from runs where id = ${id}`;
  expect(run).toEqual({ requests_done: 24, requests_total: 24 });
  const [result] = await resultsOf(id);
  expect(result).toMatchObject({
    ...{ workload: 'turns-3-think-uniform-0.01-0.02-40-to-6', requests_ok: 24 },
  });
  // Turns have 40, 40 + 6 + 40 and 40 + 6 + 40 + 6 + 40 tokens, without what the server adds to each message.
  expect(Math.abs((result?.input_tokens ?? 0) / 24 - 86)).toBeLessThan(15);
  const [usage] = await database.sql<{ requests: number }[]>`
    select requests::int from endpoint_usage where endpoint_id = ${ids.endpointId}`;
  expect(usage?.requests).toBeGreaterThanOrEqual(26);
});

test('finds the capacity with them', async () => {
  const scenario = { input_tokens: 'normal:50:10', output_tokens: 4, prefix };
  const find = { scenario, limits: 'ttft_p99<5000', from: 1, to: 2, requests: 16 };
  const id = await addRun(database, ids, { plan: 'capacity', find });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });
  const results = await resultsOf(id);
  expect(new Set(results.map(({ workload }) => workload))).toEqual(new Set(['prefix-2x100-lengths-normal-50-10-to-4']));
  const turns = { ...find, scenario: { input_tokens: 20, output_tokens: 4, turns: 2 } };
  const other = await addRun(database, ids, { plan: 'capacity', find: turns });
  expect(await waitForRun(database, other)).toMatchObject({ state: 'processed' });
  expect((await resultsOf(other))[0]).toMatchObject({ workload: 'turns-2-20-to-4' });
});

test('ends a search whose next point is too large', async () => {
  const scenario = { input_tokens: 1_000_000, output_tokens: 1 };
  const find = { scenario, limits: 'ttft_p99<5000', from: 200, to: 400 };
  const id = await addRun(database, ids, { plan: 'capacity', find });
  expect(await waitForRun(database, id)).toMatchObject({
    ...{ state: 'failed', failureCode: 'scenario_not_runnable' },
    failureMessage: expect.stringContaining('input tokens in 808 requests, more than 100,000,000'),
  });
});
