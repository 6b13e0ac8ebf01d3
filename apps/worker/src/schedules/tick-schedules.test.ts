import type { PlanPoint } from '@inferboard/core/plans/point';
import { inDatabase } from '@inferboard/db/artifacts/artifact-store';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase, type Database } from '@inferboard/db/connection/client';
import { removeEndpoint } from '@inferboard/db/runs/endpoint';
import { insertSchedule, removeSchedule } from '@inferboard/db/runs/schedule';
import { useTestDatabase } from '@inferboard/db/testing/index';
import { createPolicy } from '@inferboard/outbound/policy';
import { noTracing } from '@inferboard/telemetry/tracing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WorkerDeps } from '../deps.ts';
import { addAccount, addEndpoint } from '../testing/world.ts';
import { tickSchedules } from './tick-schedules.ts';

/** Fixes the start, so that the next due time is later even if an hour ends during the test. */
const startedAt = Date.now();

const testDatabase = useTestDatabase();
const databases: Database[] = [];
let database: Database;
let accountId: string;
let logged: string[] = [];
let endpoints = 0;

const depsOf = (own: Database): WorkerDeps => ({
  database: own,
  catalogue: followCatalogue(own),
  outbound: createPolicy({ contact: 'https://bench.example/contact' }),
  keyring: null,
  publicUrl: 'https://bench.example',
  artifacts: inDatabase,
  workerId: 'test',
  tracing: noTracing,
  log: (level, message, details) => logged.push(JSON.stringify([level, message, details])),
});
const tick = (own = database, signal = new AbortController().signal) => tickSchedules(depsOf(own), signal);

beforeAll(async () => {
  databases.push(...Array.from({ length: 3 }, () => createDatabase(testDatabase.url, { poolSize: 4 })));
  database = databases[0] ?? expect.fail();
  accountId = await addAccount(database, 'owner');
});
afterAll(() => Promise.all(databases.map((one) => one.close())));
beforeEach(async () => {
  logged = [];
  await database.sql`truncate run_points, run_events, runs, schedules cascade`;
});

const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 2 }, requests: 4, warmup: 0 }];

interface Given {
  cron?: string;
  timeZone?: string;
  request?: Record<string, unknown>;
  verified?: boolean;
  /** Seconds since it was due; negative: seconds until then. */
  dueS?: number;
}

async function addSchedule(given: Given = {}) {
  const { cron = '0 * * * *', timeZone = 'UTC', request = { plan }, verified = true, dueS = 1 } = given;
  endpoints += 1;
  // A proof covers all endpoints of the account at an origin, so unverified ones use another port.
  const port = verified ? 9 : 10;
  const endpointId = await addEndpoint(database, { accountId, name: `ep ${endpoints}`, port, verified });
  const nextAt = new Date(Date.now() - dueS * 1000).toISOString();
  const row = await insertSchedule(database.db, { accountId, endpointId, request, cron, timeZone, nextAt });
  return typeof row === 'string' ? expect.fail(row) : { id: row.id, endpointId };
}

interface Seen {
  nextAt: Date | null;
  lastRunId: string | null;
  skippedAt: Date | null;
}

async function see(id: string): Promise<Seen> {
  const [row] = await database.sql<Seen[]>`
    select next_at as "nextAt", last_run_id as "lastRunId", skipped_at as "skippedAt" from schedules where id = ${id}`;
  return row ?? expect.fail();
}

const runsOf = (id: string) => database.sql<{ id: string; seed: number; state: string; request: unknown }[]>`
  select id, seed::float8 as seed, state, request from runs where schedule_id = ${id} order by id`;

async function pointsOf(runId: string): Promise<PlanPoint[]> {
  const rows = await database.sql<{ point: PlanPoint }[]>`
    select point from run_points where run_id = ${runId} order by ordinal`;
  return rows.map(({ point }) => point);
}

const becomeDue = (id: string) =>
  database.sql`update schedules set next_at = now() - interval '1 second' where id = ${id}`;

describe('a due schedule', () => {
  test('creates a run of its plan, and sets its next time', async () => {
    const request = { plan, repetitions: 2, warmup: null, seed: 42, limits: { duration_s: null, concurrency: 8 } };
    const { id } = await addSchedule({ request });
    expect(await tick()).toBe(1);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ state: 'pending', seed: 42, request });
    expect(await pointsOf(run?.id ?? '')).toMatchObject([
      { repetition: 1, requests: 4 },
      { repetition: 2, requests: 4 },
    ]);
    const { nextAt, lastRunId, skippedAt } = await see(id);
    expect({ lastRunId, skippedAt }).toEqual({ lastRunId: run?.id, skippedAt: null });
    expect(nextAt?.getTime()).toBeGreaterThan(startedAt);
    expect((nextAt?.getTime() ?? 0) % 3_600_000).toBe(0);
    expect(await tick()).toBe(0);
  });

  test('uses its time zone', async () => {
    const { id } = await addSchedule({ cron: '30 6 * * *', timeZone: 'Asia/Kathmandu' });
    await tick();
    expect((await see(id)).nextAt?.toISOString()).toContain('T00:45:00.000Z');
  });

  test('draws a seed for each run if none is given', async () => {
    const [one, other] = [await addSchedule(), await addSchedule()];
    await tick();
    const [[a], [b]] = [await runsOf(one.id), await runsOf(other.id)];
    expect(a?.seed).not.toBe(b?.seed);
    expect((await pointsOf(a?.id ?? ''))[0]?.seed).toBe(a?.seed);
  });

  // After a downtime, a burst of runs would repeatedly measure the same moment.
  test('creates one run for all missed times', async () => {
    const { id } = await addSchedule({ cron: '*/5 * * * *', dueS: 3 * 86_400 });
    expect(await tick()).toBe(1);
    expect((await see(id)).nextAt?.getTime()).toBeGreaterThan(startedAt);
    expect(await tick()).toBe(0);
    expect(await runsOf(id)).toHaveLength(1);
  });

  test('has no next time after its last run', async () => {
    const { id } = await addSchedule({ cron: '0 0 30 2 *' });
    expect(await tick()).toBe(1);
    expect(await see(id)).toMatchObject({ nextAt: null, skippedAt: null });
  });

  test('creates one run if several workers check at the same time', async () => {
    const schedules = await Promise.all(Array.from({ length: 12 }, () => addSchedule()));
    const made = await Promise.all([...databases, ...databases].map((own) => tick(own)));
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(12);
    for (const { id } of schedules) expect(await runsOf(id)).toHaveLength(1);
  });
});

describe('a schedule creates no run', () => {
  test('before its time, or after it is deleted', async () => {
    await addSchedule({ dueS: -60 });
    const { id } = await addSchedule();
    await removeSchedule(database.db, id, null);
    expect(await tick()).toBe(0);
  });

  test('while its last run is active, and stores the skipped time', async () => {
    const { id } = await addSchedule();
    await tick();
    const { lastRunId } = await see(id);
    await becomeDue(id);
    expect(await tick()).toBe(0);
    const skipped = await see(id);
    expect(skipped.lastRunId).toBe(lastRunId);
    expect(skipped.skippedAt).not.toBeNull();
    expect(skipped.nextAt?.getTime()).toBeGreaterThan(startedAt);
    await database.sql`update runs set state = 'failed'`;
    await becomeDue(id);
    expect(await tick()).toBe(1);
    expect(await runsOf(id)).toHaveLength(2);
  });

  test('if its endpoint is removed, and is disabled', async () => {
    const { id, endpointId } = await addSchedule();
    await removeEndpoint(database.db, endpointId, null);
    expect(await tick()).toBe(0);
    const { nextAt, skippedAt } = await see(id);
    expect(nextAt).toBeNull();
    expect(skippedAt).not.toBeNull();
  });

  test.each([[{ plan: 'no-such-plan' }], [{ plan: [] }], [{ plan, colour: 'red' }], [null]])(
    'if its plan is invalid, and is disabled: %j',
    async (request) => {
      const { id } = await addSchedule();
      await database.sql`update schedules set request = ${JSON.stringify(request)}::text::jsonb where id = ${id}`;
      expect(await tick()).toBe(0);
      const { nextAt, skippedAt } = await see(id);
      expect(nextAt).toBeNull();
      expect(skippedAt).not.toBeNull();
    },
  );

  test("if the endpoint's limits allow no part of its plan today", async () => {
    const { id } = await addSchedule({
      request: { plan: [{ scenario: 'chatbot', load: { mode: 'burst', level: 64 } }] },
      verified: false,
    });
    expect(await tick()).toBe(0);
    const { nextAt, skippedAt } = await see(id);
    expect(nextAt).not.toBeNull();
    expect(skippedAt).not.toBeNull();
  });
});

test('the limits of an unverified endpoint apply to its schedules', async () => {
  const { id } = await addSchedule({ request: { plan: 'inference-report' }, verified: false });
  expect(await tick()).toBe(1);
  const points = await pointsOf((await runsOf(id))[0]?.id ?? '');
  expect(points.length).toBeGreaterThan(0);
  expect(Math.max(...points.map(({ load }) => load.level))).toBeLessThanOrEqual(4);
  expect(points.reduce((sum, { requests, warmup }) => sum + requests + warmup, 0)).toBeLessThanOrEqual(50);
});

test('a failing schedule stays due, and does not block other schedules', async () => {
  const broken = await addSchedule({ dueS: 60 });
  const sound = await addSchedule();
  await database.sql`create function refuse_run() returns trigger language plpgsql as
    $$ begin raise exception 'no room'; end $$`;
  await database.sql.unsafe(
    `create trigger refuse_run before insert on runs for each row when (new.schedule_id = '${broken.id}') execute function refuse_run()`,
  );
  expect(await tick()).toBe(1);
  expect(await runsOf(sound.id)).toHaveLength(1);
  expect(await runsOf(broken.id)).toHaveLength(0);
  expect(logged.join('\n')).toContain(`schedule ${broken.id} failed`);
  await database.sql`drop trigger refuse_run on runs`;
  expect(await tick()).toBe(1);
  expect(await runsOf(broken.id)).toHaveLength(1);
});

test('a stopping worker starts no runs', async () => {
  await addSchedule();
  expect(await tick(database, AbortSignal.abort())).toBe(0);
  expect(await tick()).toBe(1);
});
