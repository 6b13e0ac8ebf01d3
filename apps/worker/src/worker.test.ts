import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { transact } from '@inferboard/db/connection/transaction';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
import { releaseTarget, takeTarget } from '@inferboard/db/runs/target-budget';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
let accountId: string;
let worker: WorkerProcess;
const servers: FakeServer[] = [];

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 10 });
  accountId = await addAccount(database, 'operator');
  await database.sql`insert into rate_limits (key, busy_until) values ('of long ago', now() - interval '2 hours')`;
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await database.close();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Starts a server that does not identify itself as simulated, like a real one. */
async function serve(options: Parameters<typeof startFakeServer>[0] = {}, isSilent = true): Promise<FakeServer> {
  const server = await startFakeServer({ ttftMs: 20, itlMs: 10, ...options }, { isSilent });
  servers.push(server);
  return server;
}

let names = 0;
async function endpointOf(server: FakeServer, given: Partial<Parameters<typeof addEndpoint>[1]> = {}) {
  names += 1;
  return addEndpoint(database, { accountId, name: `endpoint ${names}`, port: server.port, ...given });
}

const item = (mode: string, level: number, more: Record<string, unknown> = {}) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  load: { mode, level },
  ...more,
});

interface SeenEvent {
  kind: string;
  data: {
    state?: string;
    key?: string;
    samples?: Record<string, number>;
    metrics?: Record<string, number | null>;
    requests?: Record<string, number>;
  };
}

const eventsOf = (id: string) =>
  database.sql<SeenEvent[]>`select kind, data from run_events where run_id = ${id} order by ordinal`;

test('a run is measured point by point, stored as managed and ended', async () => {
  const server = await serve();
  const endpointId = await endpointOf(server);
  const plan = [item('concurrency', 2, { requests: 8 }), item('burst', 4)];
  const id = await addRun(database, { accountId, endpointId }, { plan, repetitions: 2 });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 4, attempt: 1 });

  const events = await eventsOf(id);
  expect(events.map(({ kind, data }) => data.state ?? kind)).toEqual([
    ...['pending', 'claimed', 'running'],
    ...['point', 'point', 'point', 'point'],
    ...['completed', 'processed'],
  ]);
  for (const { data } of events.filter(({ kind }) => kind === 'point')) {
    expect(data.requests?.failed).toBe(0);
    expect(data.metrics?.ttft_ms_mean).toBeGreaterThan(15);
    expect(data.metrics?.itl_ms_mean).toBeGreaterThan(5);
    // A percentile of too few samples is missing: 8 requests have a median, 4 do not, and neither has a tail.
    const { total = 0 } = data.requests ?? {};
    expect(data.samples).toEqual({ ttft: total, itl: 15 * total, tpot: total, e2e: total });
    expect(data.metrics?.ttft_ms_p50).toEqual(total === 8 ? expect.any(Number) : null);
    expect(data.metrics).toMatchObject({ ttft_ms_p90: null, ttft_ms_p99: null, e2e_ms_p95: null, itl_ms_p99: null });
    expect(data.metrics?.itl_ms_p95).toBeGreaterThan(5);
    expect(data.metrics?.req_s).toBeGreaterThan(0);
  }
  const stored = await database.sql`
    select r.trust, r.origin, r.repeats, r.requests_ok, p.load_mode, p.load_level::float8 as level from results r
    join points p on p.id = r.point_id join submissions s on s.id = r.submission_id
    where s.run_id = ${id} order by p.load_mode`;
  expect(stored.map(({ trust }) => trust)).toEqual(['managed', 'managed', 'managed', 'managed']);
  expect(stored.map(({ origin }) => origin)).toEqual(['managed', 'managed', 'managed', 'managed']);
  expect(stored.map(({ load_mode, level }) => [load_mode, level])).toEqual([
    ['burst', 4],
    ['burst', 4],
    ['concurrency', 2],
    ['concurrency', 2],
  ]);
  const [left] =
    await database.sql`select count(*)::int as n from run_points where run_id = ${id} and report is not null`;
  expect(left?.n).toBe(0);
});

test('results of a simulated endpoint are stored as simulated and do not rank', async () => {
  const server = await serve({}, false);
  const endpointId = await endpointOf(server);
  const plan = [item('concurrency', 1, { requests: 2, warmup: 0 })];
  const id = await addRun(database, { accountId, endpointId }, { plan });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  const stored = await database.sql`
    select s.status as submission, r.status, r.trust, r.point_id, r.findings from submissions s
    join results r on r.submission_id = s.id where s.run_id = ${id}`;
  expect(stored).toMatchObject([{ submission: 'simulated', status: 'simulated', trust: 'managed' }]);
  expect(stored[0]?.findings).toContainEqual(expect.objectContaining({ code: 'simulated', severity: 'info' }));
  const accepted = await database.sql`
    select 1 from point_statistics where point_id = ${stored[0]?.point_id} and status = 'accepted'`;
  expect(accepted).toEqual([]);
});

describe('a run fails with a message for its owner', () => {
  test('if the endpoint answers no prompt', async () => {
    const server = await serve({ fault: { kind: 'status_500', every: 1, at: 0 } });
    const endpointId = await endpointOf(server);
    const id = await addRun(database, { accountId, endpointId }, { plan: [item('concurrency', 1)] });
    // The first attempt fails temporarily: the run returns to the queue and is retried later.
    await waitForRun(database, id, { until: ({ state, attempt }) => attempt === 1 && state === 'pending' });
    const [retry] = (await eventsOf(id)).slice(-1);
    expect(retry?.data).toMatchObject({ state: 'pending', retry_in_s: 5 });
    await cancelRun(database.db, id);
  });

  test('if requests fail repeatedly, and keeps the earlier measurements', async () => {
    const server = await serve({ apiKey: 'the key of this server' });
    const endpointId = await endpointOf(server, { credential: 'the wrong key' });
    const id = await addRun(database, { accountId, endpointId }, { plan: [item('concurrency', 1)] });
    expect(await waitForRun(database, id)).toMatchObject({ state: 'failed', failureCode: 'endpoint_failing' });
  });

  test('if the address is not allowed', async () => {
    const endpointId = await addEndpoint(database, { accountId, name: 'metadata', port: 1 });
    await database.sql`update endpoints set base_url = 'http://169.254.169.254/v1' where id = ${endpointId}`;
    const id = await addRun(database, { accountId, endpointId }, { plan: [item('concurrency', 1)] });
    expect(await waitForRun(database, id)).toMatchObject({ state: 'failed', failureCode: 'endpoint_refused' });
  });

  test('if the daily limit of an unverified endpoint is used up', async () => {
    const server = await serve();
    const endpointId = await endpointOf(server, { verified: false });
    const plan = [item('concurrency', 2, { requests: 8, warmup: 0 }), item('concurrency', 4, { requests: 45 })];
    const id = await addRun(database, { accountId, endpointId }, { plan });
    expect(await waitForRun(database, id)).toMatchObject({
      state: 'failed',
      failureCode: 'budget_used_up',
      pointsDone: 1,
    });
    expect(server.answers.length).toBeLessThanOrEqual(50);
    const [stored] = await database.sql`select count(*)::int as n from submissions where run_id = ${id}`;
    expect(stored?.n).toBe(1);
    // The server's daily limit is used up, so another account's endpoint there gets no request.
    const other = { accountId: await addAccount(database, 'another operator'), verified: false };
    const endpointOfOther = await endpointOf(server, other);
    const before = server.answers.length;
    const again = await addRun(database, { ...other, endpointId: endpointOfOther }, { plan: plan.slice(1) });
    expect(await waitForRun(database, again)).toMatchObject({
      state: 'failed',
      failureCode: 'budget_used_up',
      failureMessage: expect.stringContaining('for all accounts'),
    });
    expect(server.answers.length).toBe(before);
  });

  test('a run waits if the server of an unverified endpoint has its maximum of requests', async () => {
    const server = await serve();
    const endpointId = await endpointOf(server, { verified: false });
    const origin = `http://127.0.0.1:${server.port}`;
    const held = await transact(database.db, (tx) => takeTarget(tx, [origin], { requests: 1, concurrency: 3 }));
    if ('refused' in held) expect.fail('the server is a new one');
    const plan = [item('concurrency', 2, { requests: 4, warmup: 0 })];
    const id = await addRun(database, { accountId, endpointId }, { plan });
    await waitForRun(database, id, { until: ({ state, attempt }) => attempt === 1 && state === 'pending' });
    expect((await eventsOf(id)).at(-1)?.data).toMatchObject({
      message: expect.stringContaining('4 concurrent requests'),
      retry_in_s: 5,
    });
    expect(server.answers).toHaveLength(0);
    await releaseTarget(database.db, held);
    await database.sql`update runs set not_before = now() where id = ${id}`;
    expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
    expect(await database.sql`select from target_leases where target = ${origin}`).toHaveLength(0);
  });
});

test('a cancellation takes effect during long responses', async () => {
  const server = await serve({ itlMs: 200 });
  const endpointId = await endpointOf(server);
  const plan = [
    item('concurrency', 4, { requests: 64, warmup: 0, scenario: { input_tokens: 64, output_tokens: 500 } }),
  ];
  const id = await addRun(database, { accountId, endpointId }, { plan });
  await waitForRun(database, id, { until: ({ state }) => state === 'running' });
  await expect.poll(() => server.answers.length).toBeGreaterThanOrEqual(8);
  const sent = server.answers.length;
  await cancelRun(database.db, id);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled' });
  // Each response takes 100 s: none of the four finished, and no other was requested.
  expect(server.answers.length).toBe(sent);
  for (const { writtenMs } of server.answers.slice(-4)) expect(writtenMs.length).toBeLessThan(500);
});

test('a worker that receives a stop signal releases its run', async () => {
  const server = await serve({ itlMs: 100 });
  const endpointId = await endpointOf(server);
  const plan = [item('concurrency', 1, { requests: 4, warmup: 0 })];
  const id = await addRun(database, { accountId, endpointId }, { plan });
  await waitForRun(database, id, { until: ({ state }) => state === 'running' });
  await worker.stop();
  expect(await waitForRun(database, id, { until: ({ state }) => state === 'pending' })).toMatchObject({ attempt: 1 });
  worker = startWorkerProcess(testDatabase.url);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', attempt: 2, pointsDone: 1 });
});

test('the worker deletes expired data', async () => {
  await expect.poll(() => database.sql`select key from rate_limits`).toEqual([]);
});
