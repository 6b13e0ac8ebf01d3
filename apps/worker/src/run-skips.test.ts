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

// Points that the server of a managed run cannot hold are skipped, and the other points are measured.

const contextTokens = 2000;

const testDatabase = useTestDatabase();
let database: Database;
let verified: { accountId: string; endpointId: string };
/** Of an endpoint that is given up after one point without a result. */
let unverified: typeof verified;
let worker: WorkerProcess;
let server: FakeServer;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  server = await startFakeServer({ ttftMs: 10, itlMs: 5, contextTokens }, { isSilent: true });
  const accountId = await addAccount(database, 'operator');
  const add = async (name: string, isVerified: boolean) => ({
    accountId,
    endpointId: await addEndpoint(database, { accountId, name, port: server.port, verified: isVerified }),
  });
  verified = await add('verified', true);
  unverified = await add('unverified', false);
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await server.close();
  await database.close();
});

const item = (inputTokens: number) => ({
  scenario: { input_tokens: inputTokens, output_tokens: 16 },
  load: { mode: 'concurrency', level: 1 },
  ...{ warmup: 0, requests: 8 },
});

const reason = (tokens: number) =>
  `the server returned 400: "request (${tokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it"`;

interface Row {
  tokens: number;
  repetition: number;
  doubts: string[];
}

const pointsOf = (id: string) =>
  database.sql<Row[]>`
    select (point -> 'scenario' ->> 'inputTokens')::int as tokens, (point ->> 'repetition')::int as repetition,
      summary -> 'doubts' as doubts
    from run_points where run_id = ${id} order by ordinal`;

const resultsOf = async (id: string) =>
  (await database.sql`select 1 from results r join submissions s on s.id = r.submission_id where s.run_id = ${id}`)
    .length;

test('a run skips the points that the server cannot hold, and measures the others', async () => {
  const id = await addRun(database, unverified, {
    plan: [item(64), item(4000), item(1990), item(128)],
    repetitions: 1,
  });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 4 });
  expect(await resultsOf(id)).toBe(2);
  expect((await pointsOf(id)).filter(({ doubts }) => doubts.join().includes('skipped'))).toEqual([
    { tokens: 4000, repetition: 1, doubts: [`skipped: ${reason(4001)}`] },
    { tokens: 1990, repetition: 1, doubts: [`skipped: ${reason(2006)}`] },
  ]);
});

test('a skipped point is not repeated', async () => {
  const id = await addRun(database, verified, { plan: [item(64), item(1990)], until: 'ci=1000%,max=3' });
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });
  const points = await pointsOf(id);
  expect(points.filter(({ tokens }) => tokens === 1990)).toHaveLength(1);
  expect(points.filter(({ tokens }) => tokens === 64)).toHaveLength(3);
});

test('a run whose points are all skipped fails with the reasons', async () => {
  const id = await addRun(database, verified, { plan: [item(4000), item(1990)], repetitions: 1 });
  expect(await waitForRun(database, id)).toMatchObject({
    ...{ state: 'failed', failureCode: 'scenario_not_runnable', pointsDone: 2 },
    failureMessage: `The run has no result: ${reason(4001)}; ${reason(2006)}.`,
  });
});
