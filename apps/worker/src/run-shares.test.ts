import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { unpack } from '@inferboard/db/copy/packing';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkerSettings } from './settings.ts';
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
let server: FakeServer;
let endpointId: string;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
});
afterAll(() => database.close());
beforeEach(async () => {
  server = await startFakeServer({ ttftMs: 20, itlMs: 15 }, { isSilent: true, keepsRequests: true });
  endpointId = await addEndpoint(database, { accountId, name: `at ${server.port}`, port: server.port });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  await server.close();
});

/** Starts a worker whose requests name it. */
function start(name: string, settings: Partial<WorkerSettings> = {}): WorkerProcess {
  const own = { publicUrl: `http://${name}.test`, shareWaitS: 120, ...settings };
  const worker = startWorkerProcess(testDatabase.url, own);
  workers.push(worker);
  return worker;
}

const item = (mode: string, level: number, requests: number) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  load: { mode, level },
  ...{ warmup: 0, requests },
});

const add = (plan: object[]) => addRun(database, { accountId, endpointId }, { plan, workers: 2 });

/** The measured requests, without those that count tokens: their bodies, and the workers that sent them. */
const sent = () =>
  server.answers.flatMap(({ request, readMs, writtenMs }) => {
    if (request === undefined || !request.body.includes('"max_tokens":16')) return [];
    const worker = /http:\/\/(\w+)\.test/.exec(request.headers['user-agent'] ?? '')?.[1] ?? 'unknown';
    const [readAt, writtenAt] = [readMs, writtenMs.at(-1) ?? Number.POSITIVE_INFINITY];
    return [{ body: request.body, worker, isWhole: writtenMs.length === 16, readAt, writtenAt }];
  });

const countBy = (worker: string) => sent().filter((request) => request.worker === worker).length;

/** True if a worker holds the first attempt of a run. */
const leads = (worker: WorkerProcess, id: string) => worker.output().includes(`run ${id}: attempt 1\n`);

type Sent = ReturnType<typeof sent>;

/** Maximum number of requests that were in progress at the same time. */
const mostAtOnce = (requests: Sent) =>
  Math.max(
    ...requests.map(
      ({ readAt }) => requests.filter((other) => other.readAt <= readAt && readAt < other.writtenAt).length,
    ),
  );

/**
 * Time from the sending of a request, by the clock of the record, to its arrival: the shortest of a worker. Both workers are as near to
 * the server, so a difference is one of their clocks.
 *
 * @param sentMs of the requests of its share, in order
 */
function delayOf(requests: Sent, worker: string, sentMs: readonly number[]): number {
  const arrivals = requests.filter((request) => request.worker === worker).toSorted((a, b) => a.readAt - b.readAt);
  expect(arrivals).toHaveLength(sentMs.length);
  return Math.min(...arrivals.map(({ readAt }, place) => readAt - (sentMs[place] ?? 0)));
}

/** Waits until both workers have sent requests. */
async function untilBothSend(): Promise<void> {
  await expect.poll(() => Math.min(countBy('one'), countBy('two'))).toBeGreaterThan(4);
}

interface Summary {
  workers: number;
  clock_error_ms: number | null;
  doubts: string[];
}

const summariesOf = async (id: string) =>
  (
    await database.sql<{ summary: Summary }[]>`
      select summary from run_points where run_id = ${id} order by ordinal`
  ).map(({ summary }) => summary);

const resultsOf = (id: string) =>
  database.sql<{ mode: string; ok: number; failed: number }[]>`
    select p.load_mode as mode, r.requests_ok::int as ok, r.requests_failed::int as failed from results r
    join points p on p.id = r.point_id join submissions s on s.id = r.submission_id where s.run_id = ${id} order by 1`;

async function artifactOf(id: string): Promise<string> {
  const [row] = await database.sql<{ bytes: Uint8Array; packing: 'zstd' | null }[]>`
    select a.bytes, a.packing from artifacts a join submissions s on s.artifact_sha256 = a.sha256 where s.run_id = ${id}`;
  return Buffer.from(await unpack(row ?? expect.fail())).toString();
}

test('two workers send each request of a plan once, half of them each, and store one result', async () => {
  const one = start('one');
  start('two');
  const id = await add([item('concurrency', 4, 40), item('rate', 20, 40), item('concurrency', 1, 4)]);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 3, attempt: 1 });
  expect(sent()).toHaveLength(84);
  expect(new Set(sent().map(({ body }) => body)).size).toBe(84);
  const counts = [countBy('one'), countBy('two')];
  // One of them also sends the four requests of the last point.
  expect(counts.toSorted()).toEqual([40, 44]);
  expect(await resultsOf(id)).toEqual([
    { mode: 'concurrency', ok: 40, failed: 0 },
    { mode: 'concurrency', ok: 4, failed: 0 },
    { mode: 'rate', ok: 40, failed: 0 },
  ]);
  const [closed, open, single] = await summariesOf(id);
  for (const point of [closed, open]) {
    expect(point?.workers).toBe(2);
    expect(point?.clock_error_ms).toBeGreaterThan(0);
    expect(point?.doubts.join()).toMatch(/2 workers shared the requests; their clocks differ by at most \d+\.\d\d ms/);
  }
  expect(single).toMatchObject({ workers: 1, clock_error_ms: null });
  expect(single?.doubts.join()).toContain(
    '1 of 2 workers sent the requests, because the load is one request at a time',
  );
  expect(mostAtOnce(sent().slice(0, 40))).toBe(4);
  const [, rated] = (await artifactOf(id))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).results[0]);
  expect(rated.generator.workers).toEqual({ count: 2, clock_error_ms: expect.any(Number) });
  // The worker that holds the run has every other request, from the first one on.
  const names = leads(one, id) ? ['one', 'two'] : ['two', 'one'];
  const sentMs: number[] = rated.requests.map(({ sent_s }: { sent_s: number }) => sent_s * 1000);
  const [first = 0, second = 0] = names.map((name, share) =>
    delayOf(
      sent().slice(40, 80),
      name,
      sentMs.filter((_, index) => index % 2 === share),
    ),
  );
  expect(Math.abs(first - second)).toBeLessThan(20);
  expect(await database.sql`select from run_shares`).toHaveLength(0);
});

test('one worker measures a run alone if no other is free', async () => {
  start('one', { shareWaitS: 1 });
  const id = await add([item('concurrency', 2, 8)]);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', attempt: 1 });
  const [point] = await summariesOf(id);
  expect(point?.doubts.join()).toContain('1 of 2 workers sent the requests, because no other was free');
  expect(countBy('one')).toBe(8);
});

describe('a point is measured again, by all workers, if one of them', () => {
  const ends = [
    ['holds the run and is killed', { isLeader: true, end: 'kill' }],
    ['has another share and is killed', { isLeader: false, end: 'kill' }],
    ['holds the run and is stopped', { isLeader: true, end: 'stop' }],
  ] as const;
  test.each(process.env.TEST_RUNS === undefined ? ends.slice(0, 2) : ends)('%s', async (_what, { isLeader, end }) => {
    const [one, two] = [start('one'), start('two')];
    const id = await add([item('concurrency', 4, 100)]);
    await untilBothSend();
    const ended = leads(one, id) === isLeader ? one : two;
    const [endedName, otherName] = ended === one ? ['one', 'two'] : ['two', 'one'];
    await ended[end]();
    // As if the seconds of the leases of a killed worker had passed.
    if (end === 'kill' && isLeader)
      await database.sql`update runs set lease_until = now() + interval '1 second' where id = ${id}`;
    if (end === 'kill' && !isLeader)
      await database.sql`update run_shares set lease_until = now() - interval '1 second' where run_id = ${id}`;
    start(endedName);
    await waitForRun(database, id, { until: ({ attempt, state }) => attempt > 1 || state === 'pending' });
    await database.sql`update runs set not_before = now() where id = ${id} and state = 'pending'`;
    const before = new Set(sent().map(({ body }) => body));
    expect(before.size).toBeLessThan(100);
    expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 1, attempt: 2 });
    expect(await resultsOf(id)).toEqual([{ mode: 'concurrency', ok: 100, failed: 0 }]);
    const again = sent().filter(({ body }) => !before.has(body));
    expect(again).toHaveLength(100);
    expect(again.filter(({ worker }) => worker === otherName)).toHaveLength(50);
    expect(await summariesOf(id)).toMatchObject([{ workers: 2 }]);
  });
});

test('a cancellation stops all workers and stores what they measured', async () => {
  start('one');
  start('two');
  const id = await add([item('concurrency', 4, 4000)]);
  await untilBothSend();
  await cancelRun(database.db, id);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled', pointsDone: 1 });
  const whole = sent().filter(({ isWhole }) => isWhole).length;
  const [result] = await resultsOf(id);
  // Those in flight are not part of the result.
  expect(result?.ok).toBeGreaterThan(whole - 5);
  expect(result?.ok).toBeLessThanOrEqual(whole);
  const all = sent().length;
  await expect.poll(() => database.sql`select from run_shares`).toHaveLength(0);
  expect(sent()).toHaveLength(all);
  const [point] = await summariesOf(id);
  expect(point?.doubts.join()).toMatch(/it was canceled after \d+ of 4000 requests/);
});
