import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { pack } from '@inferboard/db/copy/packing';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
import { type ClaimedRun, claimRun } from '@inferboard/db/runs/run-claim';
import { advanceRun, beatRun, finishPoint, listOpenPoints, postponeRun } from '@inferboard/db/runs/run-progress';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  addAccount,
  addEndpoint,
  addRun,
  seeRun,
  startWorkerProcess,
  type WorkerProcess,
  waitForRun,
} from './testing/world.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;
let server: FakeServer;
let worker: WorkerProcess | null = null;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
});
afterAll(() => database.close());
beforeEach(async () => {
  server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
  await server.close();
});

const item = (concurrency: number, requests: number) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  load: { mode: 'concurrency', level: concurrency },
  ...{ warmup: 0, requests },
});

/** Starts a worker and a run, and waits until its first point is measured and four requests of the second are sent. */
async function runInSecondPoint(): Promise<string> {
  const endpointId = await addEndpoint(database, { accountId, name: `at ${server.port}`, port: server.port });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, 4), item(2, 4000)] });
  worker = startWorkerProcess(testDatabase.url);
  await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone === 1 });
  const before = server.answers.length;
  await expect.poll(() => server.answers.length).toBeGreaterThan(before + 4);
  return id;
}

interface StoredResult {
  level: number;
  ok: number;
  isPartial: boolean;
}

async function resultsOf(id: string): Promise<StoredResult[]> {
  const rows = await database.sql<{ level: number; findings: { code: string }[]; ok: number }[]>`
    select p.load_level::int as level, r.findings, r.requests_ok as ok from results r
    join points p on p.id = r.point_id join submissions s on s.id = r.submission_id
    where s.run_id = ${id} order by 1`;
  return rows.map(({ level, ok, findings }) => {
    return { level, ok, isPartial: findings.some(({ code }) => code === 'cut_short') };
  });
}

async function requestsDoneOf(id: string): Promise<number | undefined> {
  const [row] = await database.sql<{ done: number }[]>`select requests_done::int as done from runs where id = ${id}`;
  return row?.done;
}

const firstPoint = { level: 1, ok: 4, isPartial: false };

test('canceling stores the measured points, and the current one as partial', async () => {
  const id = await runInSecondPoint();
  await cancelRun(database.db, id);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled', pointsDone: 2 });
  const [first, second] = await resultsOf(id);
  expect(first).toEqual(firstPoint);
  expect(second).toMatchObject({ level: 2, isPartial: true });
  expect(second?.ok).toBeGreaterThan(0);
  expect(second?.ok).toBeLessThan(4000);
  const events = await database.sql<{ data: { doubts?: string[] } }[]>`
    select data from run_events where run_id = ${id} and kind = 'point' order by ordinal`;
  const doubts = events[1]?.data.doubts?.join() ?? '';
  const [, ended] = /it was canceled after (\d+) of 4000 requests/.exec(doubts) ?? [];
  const [run] = await database.sql`select requests_done::int, requests_total::int from runs where id = ${id}`;
  // Planned requests that were never sent are not done.
  expect(run).toEqual({ requests_done: 4 + Number(ended), requests_total: 4004 });
});

test('canceling with publication of finished points drops the current one', async () => {
  const id = await runInSecondPoint();
  await cancelRun(database.db, id, 'finished');
  // The first choice counts.
  await cancelRun(database.db, id, 'measured');
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled', pointsDone: 1 });
  expect(await resultsOf(id)).toEqual([firstPoint]);
  // Requests of the current point are not part of the run either.
  expect(await requestsDoneOf(id)).toBe(4);
});

/** A report as the worker stores it. */
const report = () =>
  pack(
    Buffer.from(
      `${JSON.stringify({
        schema: 'inferboard/v1',
        tool: { name: 'inferboard-loadgen', version: '0.1.0' },
        system: { model: 'llama-3.1-8b', gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm' },
        scenario: { input_tokens: 64, output_tokens: 16 },
        results: [{ load: { mode: 'concurrency', level: 1 }, metrics: { output_tok_s: 100, requests_ok: 4 } }],
      })}\n`,
    ),
  );

/** A run of a worker that has measured the first of two points. */
async function halfMeasured(): Promise<{ lease: ClaimedRun; endpointId: string }> {
  const endpointId = await addEndpoint(database, { accountId, name: `half ${crypto.randomUUID()}`, port: server.port });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, 4), item(2, 4)] });
  const lease = await claimRun(database.db, 'another worker');
  if (lease?.runId !== id) throw new Error('another run was claimed');
  await advanceRun(database.db, lease, 'running');
  const [first] = await listOpenPoints(database.db, id);
  if (first === undefined) throw new Error('the run has no points');
  await finishPoint(database.db, lease, first, { summary: {}, report: await report(), requestsDone: 4 });
  return { lease, endpointId };
}

async function expectCanceled(id: string): Promise<void> {
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled', pointsDone: 1 });
  expect(await resultsOf(id)).toEqual([firstPoint]);
}

test('canceling a waiting run keeps its results, also if its endpoint is busy', async () => {
  const { lease, endpointId } = await halfMeasured();
  await postponeRun(database.db, lease, { seconds: 3600, message: 'a test' });
  const other = await addRun(database, { accountId, endpointId }, { plan: [item(1, 4)] });
  expect(await claimRun(database.db, 'another worker')).toMatchObject({ runId: other });
  await database.sql`update runs set lease_until = now() + interval '1 hour' where id = ${other}`;
  expect(await cancelRun(database.db, lease.runId)).toBe('pending');
  worker = startWorkerProcess(testDatabase.url);
  await expectCanceled(lease.runId);
  expect(await seeRun(database, other)).toMatchObject({ state: 'claimed', attempt: 1 });
});

test('the progress of a claimed run is that of its stored points', async () => {
  const { lease } = await halfMeasured();
  // The worker dies within the second point.
  await beatRun(database.db, lease, 7);
  expect(await requestsDoneOf(lease.runId)).toBe(7);
  await database.sql`update runs set lease_until = now() - interval '1 second' where id = ${lease.runId}`;
  const claimed = await claimRun(database.db, 'another worker');
  expect(claimed).toMatchObject({ runId: lease.runId, requestsDone: 4 });
  expect(await requestsDoneOf(lease.runId)).toBe(4);
  expect(await seeRun(database, lease.runId)).toMatchObject({ pointsDone: 1 });
  // A run that returns to the queue has lost the requests of its current point too.
  if (claimed === null) throw new Error('no run was claimed');
  await beatRun(database.db, claimed, 6);
  await postponeRun(database.db, claimed, { seconds: 3600, message: 'a test' });
  expect(await requestsDoneOf(lease.runId)).toBe(4);
});

test('keeps the results of a canceled run if its worker dies', async () => {
  const { lease } = await halfMeasured();
  expect(await cancelRun(database.db, lease.runId)).toBe('running');
  await database.sql`update runs set lease_until = now() - interval '1 second' where id = ${lease.runId}`;
  worker = startWorkerProcess(testDatabase.url);
  await expectCanceled(lease.runId);
});

test('keeps the results of a run canceled before its worker returns it to the queue', async () => {
  const { lease } = await halfMeasured();
  await cancelRun(database.db, lease.runId);
  await postponeRun(database.db, lease, { seconds: 3600, message: 'a test' });
  expect((await seeRun(database, lease.runId)).state).toBe('completed');
  worker = startWorkerProcess(testDatabase.url);
  await expectCanceled(lease.runId);
});

test('canceling a queued run without results ends it immediately', async () => {
  const endpointId = await addEndpoint(database, { accountId, name: 'queued', port: server.port });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, 4)] });
  expect(await cancelRun(database.db, id, 'finished')).toBe('pending');
  expect((await seeRun(database, id)).state).toBe('canceled');
});
