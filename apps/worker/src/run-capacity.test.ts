import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { cancelRun } from '@inferboard/db/runs/run-cancel';
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
  // Two slots: the third request waits for a whole response, so TTFT doubles.
  server = await startFakeServer({ ttftMs: 800, itlMs: 2, slots: 2 }, { isSilent: true });
  const accountId = await addAccount(database, 'operator');
  ids = { accountId, endpointId: await addEndpoint(database, { accountId, name: 'one', port: server.port }) };
  worker = startWorkerProcess(testDatabase.url);
});
afterAll(async () => {
  await worker.stop();
  await server.close();
  await database.close();
});

interface SearchRow {
  capacity: CapacityAnswer | null;
  points_total: number;
  points_done: number;
  requests_total: number;
  requests_done: number;
}

async function searchOf(id: string): Promise<SearchRow> {
  const [row] = await database.sql<SearchRow[]>`
    select capacity, points_total, points_done, requests_total, requests_done from runs where id = ${id}`;
  if (row === undefined) throw new Error(`there is no run ${id}`);
  return row;
}

const find = { limits: 'ttft_p99<1350', scenario: { input_tokens: 16, output_tokens: 4 }, from: 1, requests: 8 };
const asked = (more: Record<string, unknown> = {}) => ({ plan: 'capacity', find, warmup: 0, ...more });

test('finds the maximum load of a server, also if the worker dies, and stores every point', async () => {
  const id = await addRun(database, ids, asked());
  expect(await searchOf(id)).toMatchObject({ capacity: null, points_total: 20, requests_total: 20_000 });
  await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone >= 1 });
  const early = await searchOf(id);
  expect(early.capacity).toMatchObject({ end: null, points: early.points_done });
  await worker.kill();
  await database.sql`update runs set lease_until = now() - interval '1 second' where id = ${id}`;
  worker = startWorkerProcess(testDatabase.url);
  const { state, attempt } = await waitForRun(database, id, { timeout_ms: 580_000 });
  expect(state).toBe('processed');
  expect(attempt).toBeGreaterThan(1);

  const { capacity, ...totals } = await searchOf(id);
  expect(capacity).toMatchObject({
    ...{ end: 'found', interval: { misses: 3 }, bound: 'ttft_p99<1350' },
    text: expect.stringMatching(/^Capacity under ttft_p99<1350: .* Above the capacity: missed ttft_p99<1350\./),
  });
  // An interval of two users is narrow enough.
  expect([1, 2]).toContain(capacity?.interval.meets);
  expect([1, 2]).toContain(capacity?.level);
  expect(totals.points_total).toBe(totals.points_done);
  expect(totals.requests_total).toBe(totals.requests_done);
  const points = await database.sql<{ level: number; verdict: { ratio: number; bound: string }; good: number }[]>`
    select (point -> 'load' ->> 'level')::int as level, summary -> 'limit' as verdict,
      (summary -> 'metrics' ->> 'goodput_share')::float8 as good
    from run_points where run_id = ${id} order by ordinal`;
  expect(points).toHaveLength(capacity?.points ?? 0);
  expect(points[0]?.level).toBe(1);
  for (const { level, verdict } of points) expect(verdict.ratio > 1, `at ${level}`).toBe(level > 2);
  for (const { level, good } of points) expect(good === 1, `at ${level}`).toBe(level <= 2);
  const [stored] = await database.sql<{ n: number; goodput: number }[]>`
    select count(*)::int as n, count(r.goodput_req_s)::int as goodput
    from results r join submissions s on s.id = r.submission_id where s.run_id = ${id}`;
  expect(stored).toEqual({ n: points.length, goodput: points.length });
});

test('ends the search before a point that exceeds the budget', async () => {
  const id = await addRun(database, ids, asked({ limits: { requests: 16 } }));
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });
  const { capacity, requests_done } = await searchOf(id);
  expect(capacity).toMatchObject({ end: 'points' });
  expect(capacity?.text).toContain('The search ended before its interval was narrow enough.');
  expect(requests_done).toBeLessThanOrEqual(16);
});

test('fails with the numbers if the first point exceeds the budget', async () => {
  const id = await addRun(database, ids, { ...asked({ limits: { requests: 16 } }), find: { ...find, from: 20 } });
  expect(await waitForRun(database, id)).toMatchObject({
    ...{ state: 'failed', failureCode: 'budget_used_up' },
    failureMessage: 'The first point does not fit: it needs 20 requests in total, more than the 16 of the run.',
  });
});

test('keeps the result of a canceled search, without the unfinished point', async () => {
  const id = await addRun(database, ids, asked());
  await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone >= 1 });
  await cancelRun(database.db, id);
  expect(await waitForRun(database, id)).toMatchObject({ state: 'canceled' });
  const { capacity, points_done } = await searchOf(id);
  expect(capacity?.end).toBe(null);
  expect(capacity?.points).toBeGreaterThanOrEqual(1);
  expect(capacity?.points).toBeLessThanOrEqual(points_done);
});
