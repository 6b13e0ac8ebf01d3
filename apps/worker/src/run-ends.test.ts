import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
import { claimRun } from '@inferboard/db/runs/run-claim';
import { listRunPoints } from '@inferboard/db/runs/run-find';
import { advanceRun, finishPoint, listOpenPoints } from '@inferboard/db/runs/run-progress';
import { insertWebhook } from '@inferboard/db/runs/webhook';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datasetMissing, unmeasuredOf } from './runs/point-summary.ts';
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
const servers: Server[] = [];

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await database.close();
  for (const server of servers) server.close();
});

/** Starts a server that counts prompts and rejects every stream with a status. */
async function refuseStreams(status: number, body: unknown): Promise<number> {
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    let text = '';
    request.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    request.on('end', () => {
      const { stream, messages } = JSON.parse(text) as { stream: boolean; messages: { content: string }[] };
      const words = messages[0]?.content.split(/\s+/).length ?? 0;
      response.writeHead(stream ? status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(stream ? body : { usage: { prompt_tokens: words + 3 } }));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const item = (concurrency: number, more: Record<string, unknown> = {}) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  load: { mode: 'concurrency', level: concurrency },
  warmup: 0,
  ...more,
});

test.each([
  ['a point of few requests', { requests: 2 }],
  ['a point that is given up', { requests: 64 }],
])('a run without any response fails with the status and message of the server: %s', async (what, more) => {
  const port = await refuseStreams(422, { error: { message: `streams are not offered ${'y'.repeat(200)}` } });
  const credential = 'sk-of-this-endpoint-0123456789';
  const endpointId = await addEndpoint(database, { accountId, name: what, port, credential });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, more)] });
  const ended = await waitForRun(database, id);
  expect(ended).toMatchObject({ state: 'failed', failureCode: 'endpoint_failing' });
  expect(ended.failureMessage).toMatch(/requests got status 422: "streams are not offered y{76}…"/);
  expect(await database.sql`select 1 from submissions where run_id = ${id}`).toEqual([]);
});

test.each([
  [undefined, 5],
  [2, 2],
  [12, 12],
])('a point ends after limits.max_errors consecutive failures: %s', async (max_errors, failed) => {
  const port = await refuseStreams(422, { error: { message: 'no' } });
  const endpointId = await addEndpoint(database, { accountId, name: `${max_errors} errors`, port });
  const plan = [item(1, { requests: 64 })];
  const id = await addRun(database, { accountId, endpointId }, { plan, limits: { max_errors } });
  expect(await waitForRun(database, id)).toMatchObject({
    failureMessage: `The run has no result: ${failed} of ${failed} requests got status 422: "no".`,
  });
  const [point] = await database.sql<{ doubts: string[] }[]>`
    select summary -> 'doubts' as doubts from run_points where run_id = ${id}`;
  expect(point?.doubts).toContain(
    `too many consecutive failures ended the measurement after ${failed} of 64 requests: the point is partial`,
  );
});

const ofDataset = (name: string) => item(1, { scenario: name, requests: 2 });

test('a run whose data sets are all unavailable fails with the reason', async () => {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
  try {
    const endpointId = await addEndpoint(database, { accountId, name: 'no data sets', port: server.port });
    const plan = [ofDataset('sharegpt'), ofDataset('numina-math')];
    const id = await addRun(database, { accountId, endpointId }, { plan, repetitions: 2 });
    expect(await waitForRun(database, id)).toMatchObject({
      ...{ state: 'failed', failureCode: 'scenario_not_runnable', pointsDone: 4 },
      failureMessage:
        'The run has no result: the data set sharegpt is not available here; the data set numina-math is not available here.',
    });
    // One point with results is enough.
    const mixed = await addRun(database, { accountId, endpointId }, { plan: [...plan, item(1, { requests: 2 })] });
    expect(await waitForRun(database, mixed)).toMatchObject({ state: 'processed', pointsDone: 3 });
  } finally {
    await server.close();
  }
});

test('a run without results fails with the reason if its worker died after the last point', async () => {
  await worker.stop();
  const port = await refuseStreams(422, {});
  const endpointId = await addEndpoint(database, { accountId, name: 'of a dead worker', port });
  const id = await addRun(database, { accountId, endpointId }, { plan: [ofDataset('sharegpt')] });
  const lease = await claimRun(database.db, 'a dead worker');
  if (lease?.runId !== id) throw new Error('another run was claimed');
  await advanceRun(database.db, lease, 'running');
  const [open] = await listOpenPoints(database.db, id);
  if (open === undefined) throw new Error('the run has no points');
  const summary = unmeasuredOf(open.point, datasetMissing(open.point));
  await finishPoint(database.db, lease, open, { summary, report: null, requestsDone: 2 });
  await database.sql`update runs set lease_until = now() - interval '1 second' where id = ${id}`;
  worker = startWorkerProcess(testDatabase.url);
  expect(await waitForRun(database, id)).toMatchObject({
    ...{ state: 'failed', failureCode: 'scenario_not_runnable', attempt: 2 },
    failureMessage: 'The run has no result: the data set sharegpt is not available here.',
  });
});

test('quotes the message of a server that cannot count tokens', async () => {
  const server = createServer((request, response) => {
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ detail: `no such model for ${request.headers.authorization}` }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const credential = 'sk-of-this-endpoint-0123456789';
  const endpointId = await addEndpoint(database, { accountId, name: 'nothing there', port, credential });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1)] });
  const { state, failureMessage } = await waitForRun(database, id);
  expect(state).toBe('failed');
  expect(failureMessage).toMatch(/returned 404 .*no such model for/);
  expect(failureMessage).not.toContain(credential);
});

test('keeps the measurements of a point that ends with failures, as partial', async () => {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
  const endpointId = await addEndpoint(database, { accountId, name: 'ends early', port: server.port });
  const webhook = { accountId, url: 'https://hooks.example/', events: ['run.ended' as const] };
  await insertWebhook(database.db, webhook, () => ({ keyId: 'none', box: Buffer.from('sealed') }));
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, { requests: 4000 })] });
  try {
    await expect.poll(() => server.answers.length).toBeGreaterThan(12);
  } finally {
    await server.close();
  }
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
  const [point] = await listRunPoints(database.db, id);
  const { requests, cut } = (point?.summary ?? {}) as { requests: { ok: number }; cut: Record<string, unknown> };
  // The request in flight when the server stopped, and those that found no server.
  expect(cut).toEqual({
    ...{ reason: 'failures', requests_ended: requests.ok + 5, requests_planned: 4000 },
    last_error: expect.stringMatching(/^(disconnected|connect_failed) \(.{1,100}\)$/),
  });
  const [message] = await database.sql<{ data: object }[]>`
    select body -> 'data' as data from webhook_deliveries where body #>> '{data,run_id}' = ${id}`;
  expect(message?.data).toMatchObject({ points_measured: 1, cut_short: { points: 1, last_error: cut.last_error } });
  const [stored, ...others] = await database.sql<{ ok: number; findings: { code: string }[] }[]>`
    select r.requests_ok as ok, r.findings from results r join submissions s on s.id = r.submission_id
    where s.run_id = ${id}`;
  expect(others).toEqual([]);
  expect(stored?.findings.map(({ code }) => code)).toContain('cut_short');
  expect(stored?.ok).toBeGreaterThan(0);
  expect(stored?.ok).toBeLessThan(4000);
});

test('limits.duration_s ends a point early, and its notes and result say so', async () => {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
  try {
    const endpointId = await addEndpoint(database, { accountId, name: 'limited time', port: server.port });
    // Two points: each has half of the time.
    const plan = [item(1, { requests: 4000 }), item(2, { requests: 4000 })];
    const id = await addRun(database, { accountId, endpointId }, { plan, limits: { duration_s: 2 } });
    expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 2 });
    const points = await database.sql<{ data: { doubts: string[]; requests: { ok: number } } }[]>`
      select data from run_events where run_id = ${id} and kind = 'point'`;
    expect(points).toHaveLength(2);
    for (const { data } of points)
      expect(data.doubts).toContain(
        `the time limit ended the measurement after ${data.requests.ok} of 4000 requests: the point is partial`,
      );
    const results = await database.sql<{ ok: number; findings: { code: string; message: string }[] }[]>`
      select r.requests_ok as ok, r.findings from results r join submissions s on s.id = r.submission_id
      where s.run_id = ${id}`;
    expect(results).toHaveLength(2);
    for (const { ok, findings } of results) {
      expect(ok).toBeGreaterThan(0);
      expect(findings).toContainEqual(
        expect.objectContaining({
          code: 'cut_short',
          message: expect.stringContaining('The time limit ended the measurement before 4000 requests'),
        }),
      );
    }
  } finally {
    await server.close();
  }
});

test.each([
  ['chat', /does not support chat completions/],
  ['temperature', /rejects temperature/],
] as const)('measures a server that rejects %s without it, and notes this on the run', async (refuses, note) => {
  const server = await startFakeServer({ ttftMs: 20, itlMs: 10, refuses }, { isSilent: true });
  try {
    const endpointId = await addEndpoint(database, { accountId, name: `refuses ${refuses}`, port: server.port });
    const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, { requests: 4 })] });
    expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1 });
    const [point] = await database.sql<{ data: { doubts: string[]; requests: { ok: number } } }[]>`
      select data from run_events where run_id = ${id} and kind = 'point'`;
    expect(point?.data.requests.ok).toBe(4);
    expect(point?.data.doubts.join()).toMatch(note);
  } finally {
    await server.close();
  }
});

test('states why a run at an unreachable endpoint is retried', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const endpointId = await addEndpoint(database, { accountId, name: 'not running', port });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1)] });
  await waitForRun(database, id, { until: ({ state, attempt }) => state === 'pending' && attempt === 1 });
  const [row] = await database.sql<{ data: Record<string, unknown> }[]>`
    select data from run_events where run_id = ${id} order by ordinal desc limit 1`;
  expect(row?.data).toEqual({
    ...{ state: 'pending', retry_in_s: 5, attempts_failed: 1, attempts_max: 6 },
    message: 'The request to the endpoint failed: it refused the connection.',
  });
  await cancelRun(database.db, id);
});
