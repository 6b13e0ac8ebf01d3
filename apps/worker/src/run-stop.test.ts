import { once } from 'node:events';
import type { CapacityAnswer } from '@inferboard/core/plans/capacity-answer';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
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
let worker: WorkerProcess;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  accountId = await addAccount(database, 'operator');
});
afterAll(() => database.close());
beforeEach(() => {
  worker = startWorkerProcess(testDatabase.url);
});
afterEach(async () => {
  await worker.stop();
  await server.close();
});

async function startRun(asked: Record<string, unknown>): Promise<string> {
  const endpointId = await addEndpoint(database, { accountId, name: `at ${server.port}`, port: server.port });
  return addRun(database, { accountId, endpointId }, asked);
}

/** Sends a signal to the worker, and starts another one when it has ended. */
async function replaceWorker(signal: NodeJS.Signals): Promise<void> {
  const ended = once(worker.child, 'exit');
  worker.child.kill(signal);
  expect(await ended).toEqual([0, null]);
  worker = startWorkerProcess(testDatabase.url);
}

interface MeasuredRow {
  level: number;
  attempt: number;
  summary: { doubts: string[]; limit?: object; requests: { ok: number } };
}

const pointsOf = (id: string) =>
  database.sql<MeasuredRow[]>`
    select (point -> 'load' ->> 'level')::int as level, attempt, summary from run_points
    where run_id = ${id} order by ordinal`;

async function resultsOf(id: string): Promise<{ level: number; ok: number; cut: string | undefined }[]> {
  const rows = await database.sql<{ level: number; ok: number; findings: { code: string; message: string }[] }[]>`
    select p.load_level::int as level, r.requests_ok as ok, r.findings from results r
    join points p on p.id = r.point_id join submissions s on s.id = r.submission_id
    where s.run_id = ${id} order by 1`;
  return rows.map(({ level, ok, findings }) => {
    return { level, ok, cut: findings.find(({ code }) => code === 'cut_short')?.message };
  });
}

const item = (concurrency: number, requests: number) => ({
  scenario: { input_tokens: 64, output_tokens: 16 },
  load: { mode: 'concurrency', level: concurrency },
  ...{ warmup: 0, requests },
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s keeps the current point as partial, and another worker continues',
  async (signal) => {
    server = await startFakeServer({ ttftMs: 5, itlMs: 5 }, { isSilent: true });
    const id = await startRun({ plan: [item(1, 4), item(2, 4000), item(4, 8)] });
    await waitForRun(database, id, { until: ({ pointsDone }) => pointsDone === 1 });
    const before = server.answers.length;
    await expect.poll(() => server.answers.length).toBeGreaterThan(before + 4);
    await replaceWorker(signal);
    expect(await waitForRun(database, id)).toMatchObject({ state: 'processed', pointsDone: 3, attempt: 2 });

    const [first, second, third] = await pointsOf(id);
    expect([first?.attempt, second?.attempt, third?.attempt]).toEqual([1, 1, 2]);
    expect(first?.summary.doubts.join()).not.toContain('partial');
    expect(second?.summary.doubts.join()).toMatch(
      /its process was stopped after \d+ of 4000 requests: the point is partial/,
    );
    const results = await resultsOf(id);
    expect(results).toMatchObject([
      { level: 1, ok: 4, cut: undefined },
      { level: 2, cut: expect.stringContaining('The process that measured it was stopped before 4000 requests') },
      { level: 4, ok: 8, cut: undefined },
    ]);
    expect(results[1]?.ok).toBe(second?.summary.requests.ok);
    expect(results[1]?.ok).toBeGreaterThan(0);
    expect(results[1]?.ok).toBeLessThan(4000);
  },
);

test('a search keeps the current point as partial, and measures its load again', async () => {
  server = await startFakeServer({ ttftMs: 100, itlMs: 2, slots: 2 }, { isSilent: true });
  const scenario = { input_tokens: 16, output_tokens: 4 };
  const find = { limits: 'ttft_p99<170', scenario, from: 1, requests: 60, points: 4 };
  const id = await startRun({ plan: 'capacity', find, warmup: 0 });
  await expect
    .poll(async () => (await database.sql`select 1 from runs where id = ${id} and requests_done > 0`).length)
    .toBe(1);
  await replaceWorker('SIGTERM');
  expect(await waitForRun(database, id)).toMatchObject({ state: 'processed' });

  const points = await pointsOf(id);
  const [partial, again, ...others] = points;
  expect(partial).toMatchObject({ level: 1, attempt: 1 });
  expect(partial?.summary.limit).toBeUndefined();
  expect(partial?.summary.doubts.join()).toContain('its process was stopped');
  expect(again).toMatchObject({ level: 1, attempt: 2, summary: { limit: { is_fine: false } } });
  expect(others.length).toBeGreaterThan(0);
  for (const { summary } of others) expect(summary.limit).toBeDefined();
  // Partial points count towards the budget.
  expect(points.length).toBeLessThanOrEqual(4);
  const [row] = await database.sql<{ capacity: CapacityAnswer }[]>`select capacity from runs where id = ${id}`;
  expect(row?.capacity.end).not.toBeNull();
  expect(row?.capacity.points).toBe(points.length);
  expect(await resultsOf(id)).toHaveLength(points.length);
});
