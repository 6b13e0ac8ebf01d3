import { setTimeout as sleep } from 'node:timers/promises';
import { isEnded } from '@inferboard/core/plans/run-state';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { type FakeServer, startFakeServer } from '@inferboard/loadgen/fake-server/fake-server';
import { createRandom } from '@inferboard/loadgen/pacing/random';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, addEndpoint, addRun, seeRun, startWorkerProcess, type WorkerProcess } from './testing/world.ts';

const kills = Number(process.env.CRASH_KILLS ?? 3);
const random = createRandom(Number(process.env.TEST_SEED));
const testDatabase = useTestDatabase();
let database: Database;
let server: FakeServer;
let ids: { accountId: string; endpointId: string };

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
  server = await startFakeServer({ ttftMs: 20, itlMs: 5 });
  const accountId = await addAccount(database, 'operator');
  ids = { accountId, endpointId: await addEndpoint(database, { accountId, name: 'one', port: server.port }) };
});
afterAll(async () => {
  await server.close();
  await database.close();
});

/** Ends a lease at once, as if its seconds had passed. A dead worker would hold its run until then. */
const endLease = (id: string) =>
  database.sql`update runs set lease_until = now() - interval '1 second' where id = ${id} and lease_until is not null`;

// CRASH_KILLS=20 is the required number; regular test runs use fewer.
test(`${kills} kills at random moments lose and duplicate no results, and the run ends`, async () => {
  const scenario = { input_tokens: 64, output_tokens: 8 };
  const plan = [1, 2, 4].map((level) => ({ scenario, load: { mode: 'concurrency', level }, requests: 4, warmup: 0 }));
  const repetitions = 4 * kills;
  const id = await addRun(database, ids, { plan, repetitions });
  const [next, spare]: WorkerProcess[] = [startWorkerProcess(testDatabase.url), startWorkerProcess(testDatabase.url)];
  const workers = [next, spare];
  let killed = 0;
  const holderOf = async () => {
    const [row] = await database.sql<{ state: string; attempt: number }[]>`
      select state, attempt from runs where id = ${id} and state in ('claimed', 'running', 'completed')`;
    return row ?? null;
  };
  const countPoints = async () =>
    (await database.sql`select 1 from run_points where run_id = ${id} and measured_at is not null`).length;
  try {
    while (killed < kills) {
      while ((await holderOf()) === null) {
        expect(isEnded((await seeRun(database, id)).state), 'it ended before its kills').toBe(false);
        await sleep(20);
      }
      await sleep(random.next() * 3000);
      // Before the last kill, at least one point is measured and must survive.
      while (killed === kills - 1 && (await countPoints()) === 0) await sleep(20);
      // Kills the worker that holds the run, identified through its log.
      const { attempt } = await seeRun(database, id);
      const at = workers.findIndex((worker) => worker?.output().includes(`run ${id}: attempt ${attempt}\n`));
      const holder = workers[at];
      if (holder === undefined) continue;
      await holder.kill();
      killed += 1;
      workers[at] = startWorkerProcess(testDatabase.url);
      await endLease(id);
    }
    for (;;) {
      const { state } = await seeRun(database, id);
      if (state === 'processed') break;
      expect(['claimed', 'running', 'completed']).toContain(state);
      await sleep(50);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker?.kill()));
  }
  const { attempt } = await seeRun(database, id);
  expect(attempt).toBeGreaterThan(kills);

  const points = await database.sql<{ attempt: number; stored: boolean }[]>`
    select attempt, report is null as stored from run_points where run_id = ${id}`;
  expect(points).toHaveLength(plan.length * repetitions);
  expect(points.every(({ stored }) => stored)).toBe(true);
  expect(new Set(points.map(({ attempt }) => attempt)).size).toBeGreaterThan(1);
  const results = await database.sql<{ level: number; n: number }[]>`
    select p.load_level::int as level, count(*)::int as n from results r join points p on p.id = r.point_id
    join submissions s on s.id = r.submission_id where s.run_id = ${id} group by 1 order by 1`;
  expect([...results]).toEqual([1, 2, 4].map((level) => ({ level, n: repetitions })));
  const events = await database.sql<{ ordinal: number; kind: string; key: string | null }[]>`
    select ordinal, kind, data ->> 'key' as key from run_events where run_id = ${id} order by ordinal`;
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, index) => index + 1));
  const keys = events.filter(({ kind }) => kind === 'point').map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toHaveLength(points.length);
});

test('two workers never measure one endpoint at the same time', async () => {
  const plan = [
    { scenario: { input_tokens: 64, output_tokens: 16 }, load: { mode: 'concurrency', level: 1 }, requests: 4 },
  ];
  const other = await addEndpoint(database, { accountId: ids.accountId, name: 'other', port: server.port });
  const runs: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    runs.push(await addRun(database, ids, { plan }));
    runs.push(await addRun(database, { ...ids, endpointId: other }, { plan }));
  }
  const workers = Array.from({ length: 3 }, () => startWorkerProcess(testDatabase.url));
  try {
    let most = 0;
    let mostOfOne = 0;
    for (;;) {
      const busy = await database.sql<{ n: number }[]>`
        select count(*)::int as n from runs where state in ('claimed', 'running') group by endpoint_id`;
      most = Math.max(most, busy.length);
      mostOfOne = Math.max(mostOfOne, ...busy.map(({ n }) => n));
      const [open] = await database.sql`
        select count(*)::int as n from runs where id = any(${runs}) and state <> 'processed'`;
      if (open?.n === 0) break;
      await sleep(5);
    }
    expect(mostOfOne).toBe(1);
    // The run of another endpoint does not wait.
    expect(most).toBe(2);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  // The requests of one endpoint's runs, as the server saw them: one closed-loop user never has two open.
  const spans = await database.sql<{ endpoint: string; from: number; to: number }[]>`
    select r.endpoint_id as endpoint, extract(epoch from min(e.created_at))::float8 as from,
      extract(epoch from max(e.created_at))::float8 as to
    from runs r join run_events e on e.run_id = r.id
    where r.id = any(${runs}) and (e.kind = 'point' or e.data ->> 'state' = 'claimed')
    group by r.id, r.endpoint_id order by 2`;
  for (const endpoint of new Set(spans.map((span) => span.endpoint))) {
    const own = spans.filter((span) => span.endpoint === endpoint);
    for (const [at, span] of own.slice(1).entries()) expect(span.from).toBeGreaterThanOrEqual(own[at]?.to ?? 0);
  }
});
