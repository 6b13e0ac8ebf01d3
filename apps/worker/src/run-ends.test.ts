import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDatabase, type Database } from '@inferboard/db/client';
import { cancelRun } from '@inferboard/db/queries/run-cancel';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
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

/** A server that counts prompts and answers every stream with a status. */
async function refuseStreams(status: number, body: unknown): Promise<number> {
  const server = createServer((request, response) => {
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
])('a run without one answer fails with the status and the words of the server: %s', async (what, more) => {
  const port = await refuseStreams(422, { error: { message: `streams are not offered ${'y'.repeat(200)}` } });
  const credential = 'sk-of-this-endpoint-0123456789';
  const endpointId = await addEndpoint(database, { accountId, name: what, port, credential });
  const id = await addRun(database, { accountId, endpointId }, { plan: [item(1, more)] });
  const ended = await waitForRun(database, id);
  expect(ended).toMatchObject({ state: 'failed', failureCode: 'endpoint_failing' });
  expect(ended.failureMessage).toMatch(/requests were answered with status 422: "streams are not offered y{76}…"/);
  expect(await database.sql`select 1 from submissions where run_id = ${id}`).toEqual([]);
});

test('a server that refuses to count is quoted too', async () => {
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
  expect(failureMessage).toMatch(/answers 404 .*no such model for/);
  expect(failureMessage).not.toContain(credential);
});

test('a cancel keeps the points that were measured, and what came of the one under way, marked as partial', async () => {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
  try {
    const endpointId = await addEndpoint(database, { accountId, name: 'canceled', port: server.port });
    const plan = [item(1, { requests: 4 }), item(2, { requests: 4000 })];
    const id = await addRun(database, { accountId, endpointId }, { plan });
    await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone === 1 });
    const before = server.answers.length;
    await expect.poll(() => server.answers.length).toBeGreaterThan(before + 10);
    await cancelRun(database.db, id);
    expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled', pointsDone: 2 });
    const results = await database.sql<{ level: number; findings: { code: string }[]; ok: number }[]>`
      select p.load_level::int as level, r.findings, r.requests_ok as ok from results r
      join points p on p.id = r.point_id join submissions s on s.id = r.submission_id
      where s.run_id = ${id} order by 1`;
    const isPartial = ({ findings }: { findings: { code: string }[] }) =>
      findings.some(({ code }) => code === 'cut_short');
    expect(results.map((result) => [result.level, isPartial(result)])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(results[1]?.ok).toBeGreaterThan(5);
    expect(results[1]?.ok).toBeLessThan(4000);
    const events = await database.sql<{ data: { doubts?: string[] } }[]>`
      select data from run_events where run_id = ${id} and kind = 'point' order by ordinal`;
    expect(events[1]?.data.doubts?.join()).toMatch(/it was canceled after \d+ of 4000 requests/);
  } finally {
    await server.close();
  }
});

test.each([
  ['chat', /no chat completions/],
  ['temperature', /refuses temperature/],
] as const)('a server that refuses %s is measured without it, and the run says so', async (refuses, note) => {
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
