import { expandPlan } from '@inferboard/core/plans/expand';
import { readPlan } from '@inferboard/core/plans/read-plan';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertAccount } from '../../accounts/account.ts';
import { createDatabase, type Database } from '../../connection/client.ts';
import { transact } from '../../connection/transaction.ts';
import { useTestDatabase } from '../../testing/index.ts';
import { insertEndpoint } from '../endpoint.ts';
import { cancelRun } from '../run-cancel.ts';
import { type ClaimedRun, claimRun } from '../run-claim.ts';
import { insertRun } from '../run-create.ts';
import { advanceRun, LeaseLostError, postponeRun } from '../run-progress.ts';
import { clockErrorMs, monotonicMs, readDatabaseClock } from './database-clock.ts';
import { beatShare, claimShare, failShare, finishShare, readShareJob, readyShare, releaseShare } from './help.ts';
import {
  assignShare,
  closeShares,
  listShares,
  openShares,
  removeShares,
  startShares,
  takeShareResult,
} from './lead.ts';

const place = useTestDatabase();
let database: Database;
let accountId: string;
let run: ClaimedRun;
let count = 0;

beforeAll(async () => {
  database = createDatabase(place.url, { poolSize: 4 });
  accountId = (await insertAccount(database.db, 'operator'))?.id ?? expect.fail();
});
afterAll(() => database.close());

const packed = (text: string) => ({ bytes: Buffer.from(text), packing: null });

/** A run that a worker named `leader` measures, with two open shares. */
beforeEach(async () => {
  const { db } = database;
  await db.execute('delete from run_shares');
  await db.execute(`update runs set state = 'failed', ended_at = now()`);
  count += 1;
  const endpoint = await insertEndpoint(
    db,
    {
      ...{ accountId, name: `endpoint ${count}`, model: 'm', proofToken: 't', metricsUrl: null, facts: {} },
      baseUrl: `http://127.0.0.1:${9000 + count}/v1`,
    },
    null,
  );
  if (typeof endpoint === 'string') throw new Error(endpoint);
  const request = {
    plan: [{ scenario: { input_tokens: 8, output_tokens: 8 }, load: { mode: 'concurrency', level: 4 } }],
    workers: 3,
  };
  const expanded = expandPlan({ ...readPlan(request), seed: 1 });
  await transact(db, (tx) =>
    insertRun(tx, { accountId, endpointId: endpoint.id, scheduleId: null, request, seed: 1, expanded }),
  );
  run = (await claimRun(db, 'leader')) ?? expect.fail();
  await advanceRun(db, run, 'running');
  await openShares(db, run, 2);
});

const claim = async (worker: string) => (await claimShare(database.db, worker, [])) ?? expect.fail();
const endLeases = () =>
  database.sql`update run_shares set lease_until = now() - interval '1 s' where worker is not null`;

test('a claimed run has the number of workers of its plan', () => {
  expect(run.workers).toBe(3);
});

test('each share is claimed once, by different workers, and not by the one that holds the run', async () => {
  const { db } = database;
  expect(await claimShare(db, 'leader', [])).toBe(null);
  expect(await claimShare(db, 'a', [run.runId])).toBe(null);
  expect(await claim('a')).toMatchObject({ runId: run.runId, share: 1, claims: 1, endpointId: run.endpointId });
  expect(await claimShare(db, 'a', [])).toBe(null);
  const claims = await Promise.all(['b', 'c', 'd'].map((worker) => claimShare(db, worker, [])));
  expect(claims.filter((held) => held !== null)).toMatchObject([{ share: 2 }]);
});

test('a share goes from its assignment to its records, with one start for all', async () => {
  const { db } = database;
  const helpers = [await claim('a'), await claim('b')];
  const seen = await listShares(db, run);
  expect(seen).toMatchObject([
    { share: 1, state: 'joined', isHeld: true },
    { share: 2, state: 'joined', isHeld: true },
  ]);
  for (const share of seen) expect(await assignShare(db, run, share, packed(`job ${share.share}`))).toBe(true);
  expect(await startShares(db, run, [1, 2], 1000)).toBe(null);
  for (const held of helpers) {
    expect((await readShareJob(db, held))?.bytes.toString()).toBe(`job ${held.share}`);
    await readyShare(db, held, 0.25);
  }
  const clock = await readDatabaseClock(db);
  const at = (await startShares(db, run, [1, 2], 1000)) ?? expect.fail();
  expect(at - (monotonicMs() + clock.offsetMs)).toBeLessThanOrEqual(1000 + clock.errorMs);
  const counts = { done: 3, failed: 0, in_flight: 1, tokens: 30 };
  for (const held of helpers) {
    expect(await beatShare(db, held, counts)).toEqual({
      ...{ state: 'ready', round: 1, startAtMs: at, isCanceled: false, isLed: true },
    });
    await finishShare(db, held, packed(`result ${held.share}`), 0.5);
  }
  expect(await listShares(db, run)).toMatchObject([{ state: 'done', clockErrorMs: 0.5, counts }, { state: 'done' }]);
  for (const share of seen)
    expect((await takeShareResult(db, run, share))?.bytes.toString()).toBe(`result ${share.share}`);
  expect(await takeShareResult(db, run, seen[0] ?? expect.fail())).toBe(null);
  expect(await listShares(db, run)).toMatchObject([{ state: 'joined' }, { state: 'joined' }]);
});

test('the share of a dead worker is claimed again, and nothing more of its first claim is stored', async () => {
  const { db } = database;
  const dead = await claim('a');
  const [first] = await listShares(db, run);
  await assignShare(db, run, first ?? expect.fail(), packed('job'));
  await endLeases();
  expect(await listShares(db, run)).toMatchObject([{ isHeld: false }, {}]);
  const next = await claim('b');
  expect(next).toMatchObject({ share: 1, claims: 2 });
  expect(await beatShare(db, dead, null)).toBe(null);
  await readyShare(db, dead, 1);
  await finishShare(db, dead, packed('late'), 1);
  await failShare(db, dead, 'late');
  await releaseShare(db, dead);
  expect(await listShares(db, run)).toMatchObject([{ claims: 2, state: 'joined', isHeld: true, failure: null }, {}]);
});

test('a share that failed or that its worker returned is no longer held', async () => {
  const { db } = database;
  const [a, b] = [await claim('a'), await claim('b')];
  await failShare(db, a, 'no route');
  await releaseShare(db, a);
  await releaseShare(db, b);
  expect(await listShares(db, run)).toMatchObject([
    { state: 'failed', isHeld: false, failure: 'no route' },
    { state: 'open', isHeld: false },
  ]);
  expect(await claim('c')).toMatchObject({ share: 2 });
});

test('a worker learns of a cancellation, of the close, and of a run without a worker', async () => {
  const { db } = database;
  const [a, b] = [await claim('a'), await claim('b')];
  await database.sql`update runs set lease_until = now() + interval '3 s' where id = ${run.runId}`;
  expect(await beatShare(db, a, null)).toMatchObject({ isLed: false });
  await cancelRun(db, run.runId);
  expect(await beatShare(db, a, null)).toMatchObject({ isCanceled: true });
  await closeShares(db, run);
  expect(await beatShare(db, b, null)).toMatchObject({ state: 'closed' });
  await releaseShare(db, a);
  expect(await listShares(db, run)).toMatchObject([{ state: 'closed', isHeld: false }, { isHeld: true }]);
  await removeShares(db, run);
  expect(await beatShare(db, b, null)).toBe(null);
});

test('the next attempt of a run has new shares', async () => {
  const { db } = database;
  const held = await claim('a');
  await postponeRun(db, run, { seconds: 0, message: 'a test' });
  expect(await beatShare(db, held, null)).toMatchObject({ isLed: false });
  expect(await claimShare(db, 'b', [])).toBe(null);
  const again = (await claimRun(db, 'another leader')) ?? expect.fail();
  await expect(openShares(db, run, 2)).rejects.toThrow(LeaseLostError);
  await advanceRun(db, again, 'running');
  await openShares(db, again, 1);
  expect(await beatShare(db, held, null)).toBe(null);
  expect(await listShares(db, run)).toEqual([]);
  expect(await claim('a')).toMatchObject({ attempt: 2, claims: 1 });
});

test('two processes agree on the clock of the database within their errors', async () => {
  const other = createDatabase(place.url, { poolSize: 1 });
  try {
    const [one, two] = [await readDatabaseClock(database.db), await readDatabaseClock(other.db)];
    expect(one.errorMs).toBeGreaterThan(0);
    // One machine has one monotonic clock.
    expect(Math.abs(one.offsetMs - two.offsetMs)).toBeLessThanOrEqual(one.errorMs + two.errorMs);
    expect(clockErrorMs({ offsetMs: 10, errorMs: 1 }, { offsetMs: 12, errorMs: 0.5 })).toBe(2.5);
  } finally {
    await other.close();
  }
});
