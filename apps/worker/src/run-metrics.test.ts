import { readArtifact } from '@inferboard/core/adapters/index';
import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import { seriesOf, type Timeline } from '@inferboard/core/observed/timeline';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { unpack } from '@inferboard/db/copy/packing';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { observedCharts } from '@inferboard/loadgen/report/observed';
import { readRecordedPoints } from '@inferboard/loadgen/report/recorded-point';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addAccount,
  addEndpoint,
  addRun,
  type GivenEndpoint,
  startWorkerProcess,
  type WorkerProcess,
  waitForRun,
} from './testing/world.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;
let worker: WorkerProcess;
let server: FakeServer;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
  worker = startWorkerProcess(testDatabase.url);
  server = await startFakeServer({ ttftMs: 40, itlMs: 10, slots: 2 }, { isSilent: true });
});
afterAll(async () => {
  await worker.stop();
  await database.close();
  await server.close();
});

const item = (concurrency: number, requests: number) => ({
  scenario: { input_tokens: 64, output_tokens: 32 },
  load: { mode: 'concurrency', level: concurrency },
  warmup: 0,
  requests,
});

let names = 0;
async function startRun(
  plan: object[],
  given: Partial<GivenEndpoint> = {},
  more: Record<string, unknown> = {},
): Promise<string> {
  names += 1;
  const endpoint = { accountId, name: `e ${names}`, port: server.port, ...given };
  const endpointId = await addEndpoint(database, endpoint);
  return addRun(database, { accountId: endpoint.accountId, endpointId }, { plan, ...more });
}

interface Seen {
  state: string;
  live: LiveFigures | null;
  timeline: Timeline | null;
  requestsDone: number;
}

async function see(id: string): Promise<Seen> {
  const [row] = await database.sql<Seen[]>`
    select state, live, timeline, requests_done as "requestsDone" from runs where id = ${id}`;
  if (row === undefined) throw new Error(`there is no run ${id}`);
  return row;
}

const doubtsOf = async (id: string) =>
  (
    await database.sql<{ doubts: string[] }[]>`
    select summary -> 'doubts' as doubts from run_points where run_id = ${id} order by ordinal`
  ).flatMap(({ doubts }) => doubts);

async function artifactOf(id: string): Promise<string> {
  const [row] = await database.sql<{ bytes: Uint8Array; packing: 'zstd' | null }[]>`
    select a.bytes, a.packing from artifacts a join submissions s on s.artifact_sha256 = a.sha256
    where s.run_id = ${id}`;
  if (row === undefined) throw new Error(`${id} has no artifact`);
  return Buffer.from(await unpack(row)).toString();
}

test('overwrites one row with the current figures, and deletes it at the end', async () => {
  // Four users of two slots: two requests wait in the server.
  const id = await startRun([item(4, 60)], { metrics: '/metrics' });
  const isFull = ({ live }: Seen) => live?.in_flight === 4 && live.server?.waiting === 2 && live.ttft_ms.n > 4;
  let seen = await see(id);
  await expect
    .poll(async () => {
      seen = await see(id);
      return isFull(seen);
    })
    .toBe(true);
  const { live } = seen;
  expect(live).toMatchObject({
    ...{ point: '64-32:64:32:/concurrency:4/1', title: '64-32, 4 concurrent', requests: { total: 60 }, errors: {} },
    server: { running: 2, kv_cache_share: 1, preemptions: 0 },
  });
  expect(live?.req_s).toBeGreaterThan(0);
  expect(live?.ttft_ms.p50).toBeGreaterThan(30);
  expect(live?.ttft_ms.p99).toBe(null);
  const { state } = await waitForRun(database, id);
  expect(state).toBe('processed');
  expect((await see(id)).live).toBe(null);
});

test("stores metrics in the artifact as the command line does, and in the run's timeline", async () => {
  const id = await startRun([item(1, 4), item(4, 24)], { metrics: '/metrics' });
  await waitForRun(database, id);
  const { timeline } = await see(id);
  const series = seriesOf(timeline as Timeline);
  expect(series.map(({ name }) => name)).toEqual([
    ...['output_tok_s', 'ttft_ms', 'running', 'waiting', 'kv_cache_share', 'preemptions'],
  ]);
  expect(series.find(({ name }) => name === 'ttft_ms')?.n).toBe(28);
  const highest = (name: string) =>
    Math.max(...(series.find((one) => one.name === name)?.values ?? []).map((value) => value ?? 0));
  expect(highest('waiting')).toBeGreaterThan(1);
  expect(await doubtsOf(id)).not.toContainEqual(expect.stringContaining('metrics'));

  const text = await artifactOf(id);
  expect(readArtifact(Buffer.from(text)).results).toHaveLength(2);
  const points = readRecordedPoints(text.trim().split('\n'));
  const [, loaded] = points;
  if (loaded === undefined) throw new Error('there is no second point');
  const charts = observedCharts({ facts: {}, samples: [] }, loaded, 60);
  expect(charts.map(({ title }) => title)).toEqual([
    ...['Requests in the server', 'KV cache in use', 'Preemptions since the server started'],
  ]);
});

test.each([
  ['/nothing', "the server's metrics cannot be read: it returned 404"],
  ['/health', "the server's metrics have none of vLLM, SGLang or llama.cpp"],
])('notes that nothing can be read at %s, and continues the run', async (metrics, note) => {
  const id = await startRun([item(1, 4)], { metrics });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  expect(await doubtsOf(id)).toContainEqual(expect.stringContaining(note));
  expect((await doubtsOf(id)).join()).not.toContain('127.0.0.1');
  expect((await see(id)).timeline).toBe(null);
});

test('does not request the metrics of an unverified endpoint', async () => {
  // A proof of the first account holds for the origin, but only for that account.
  const other = { accountId: await addAccount(database, 'another'), verified: false };
  const id = await startRun([item(1, 4)], { metrics: '/metrics', ...other });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });
  expect(await doubtsOf(id)).toContainEqual(expect.stringContaining('control of the endpoint is proven'));
  expect((await see(id)).timeline).toBe(null);
});

test.each([
  ['ttft<60000,e2e<60000', 1],
  ['ttft<1', 0],
])('a run with the limits %s of one request has the goodput', async (slo, share) => {
  const id = await startRun([item(1, 4)], {}, { slo });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });
  const [point] = await database.sql<{ metrics: Record<string, number> }[]>`
    select summary -> 'metrics' as metrics from run_points where run_id = ${id}`;
  expect(point?.metrics.goodput_share).toBe(share);
  expect(point?.metrics.goodput_req_s).toBeCloseTo(share * (point?.metrics.req_s ?? 0), 3);
  const [stored] = await database.sql<{ good: number; all: number }[]>`
    select r.goodput_req_s as good, r.req_s as all from results r
    join submissions s on s.id = r.submission_id where s.run_id = ${id}`;
  expect(stored?.all).toBeGreaterThan(0);
  expect(stored?.good).toBeCloseTo(share * (stored?.all ?? 0), 6);
});
