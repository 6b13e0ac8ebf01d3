import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inDatabase } from '../artifacts/artifact-store.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { databaseProblem } from '../connection/errors.ts';
import { atOnce, type Queryable } from '../connection/transaction.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { createSubmissionGroup, type SubmissionGroup } from './submission-group.ts';
import type { InsertCallbacks, NewSubmission } from './submission-insert.ts';

const { database, url, submissionOf, insert, rowCounts, statisticsRows } = useUploads();

/** Simulates another process. */
let other: Database;
beforeAll(() => {
  other = createDatabase(url(), { poolSize: 2 });
});
afterAll(() => other.close());

const speedAt = (level: number, output_tok_s: number) =>
  submissionOf(resultsOf([{ level, metrics: { output_tok_s } }]));

/** Submits all uploads at the same time. */
function together(
  group: SubmissionGroup,
  inputs: readonly NewSubmission[],
  callbacks: (at: number) => InsertCallbacks,
) {
  const reservations = inputs.map(() => group.reserve());
  return inputs.map((input, at) => (reservations[at] ?? group.reserve()).insert(input, callbacks(at)));
}
const statuses = async (work: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status);

/** Resolves when `count` transactions wait for locks. */
const waitingForLocks = (count: number) =>
  expect
    .poll(async () => {
      const [row] = await database().sql`
        select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.n;
    })
    .toBe(count);

/** Locks the point with a load level until it is released. */
async function holdPoint(level: number): Promise<{ release(): Promise<void> }> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = other.sql.begin(async (tx) => {
    await tx`select id from points where load_level = ${level} for update`;
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return {
    release: async () => {
      released.resolve();
      await holding;
    },
  };
}

describe('uploads in a group with a failing one', () => {
  test('are stored while that upload waits for a lock', async () => {
    for (const level of [1, 2, 3]) await insert(resultsOf([{ level, metrics: { output_tok_s: 100 } }]));
    const group = createSubmissionGroup(database().db, inDatabase);
    const { release } = await holdPoint(2);
    const [first, waits, last] = together(
      group,
      [1, 2, 3].map((level) => speedAt(level, 120)),
      () => ({}),
    );
    let isReleased = false;
    waits?.finally(() => expect(isReleased).toBe(true));
    expect(await statuses([first, last] as Promise<unknown>[])).toEqual(['fulfilled', 'fulfilled']);
    isReleased = true;
    await release();
    await waits;
    expect((await statisticsRows()).map(({ results }) => results)).toEqual([2, 2, 2]);
  });

  test('are stored while the maximum number of transactions waits for locks', async () => {
    const models = ['llama-3.1-8b', 'qwen3-8b', 'Frobnicator 1', 'Frobnicator 2', 'Frobnicator 3'];
    const level = 64;
    for (const model of models.slice(0, 4))
      await insert(resultsOf([{ level, metrics: { output_tok_s: 10 } }], { model }));
    const group = createSubmissionGroup(database().db, inDatabase);
    const { release } = await holdPoint(level);
    const blocked: Promise<unknown>[] = [];
    for (const model of models.slice(0, 4)) {
      blocked.push(
        group.reserve().insert(submissionOf(resultsOf([{ level, metrics: { output_tok_s: 20 } }], { model })), {}),
      );
      // Ensures that the next upload gets a separate transaction.
      await waitingForLocks(blocked.length);
    }
    const free = submissionOf(resultsOf([{ level, metrics: { output_tok_s: 20 } }], { model: 'Frobnicator 3' }));
    expect(await group.reserve().insert(free, {})).toMatchObject({ duplicate: false });
    await release();
    expect(await statuses(blocked)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  test('are stored if a statement of that upload times out, which alone receives the error', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const all = together(
      group,
      [1, 2, 3, 4].map((level) => speedAt(level, 100)),
      (at) => ({
        stored: async (tx) => {
          if (at !== 1) return void (await tx.execute(sql`select 1`));
          await tx.execute(sql`set local statement_timeout = 20`);
          await tx.execute(sql`select pg_sleep(10)`);
        },
      }),
    );
    expect(await statuses(all)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(databaseProblem(await all[1]?.catch((error: unknown) => error))).toBe('timeout');
    expect(await rowCounts()).toMatchObject({ submissions: 3, results: 3 });
  });

  test('are all stored if another process locks their points in reverse order', async () => {
    for (const level of [1, 2]) await insert(resultsOf([{ level, metrics: { output_tok_s: 100 } }]));
    const group = createSubmissionGroup(database().db, inDatabase);
    const begun = Promise.withResolvers<void>();
    const crossing = other.sql.begin(async (tx) => {
      await tx`select id from points where load_level = 2 for update`;
      begun.resolve();
      await waitingForLocks(1);
      await tx`select id from points where load_level = 1 for update`;
    });
    await begun.promise;
    const all = together(
      group,
      [1, 2].map((level) => speedAt(level, 130)),
      () => ({}),
    );
    await crossing;
    expect(await statuses(all)).toEqual(['fulfilled', 'fulfilled']);
    expect((await statisticsRows()).map(({ results }) => results)).toEqual([2, 2]);
  });

  test('all fail if the connection is lost, and later ones are stored', async () => {
    const group = createSubmissionGroup(database().db, inDatabase);
    const inputs = [1, 2, 3].map((level) => speedAt(level, 100));
    const lost = together(group, inputs, (at) => ({
      stored: async (tx) => {
        if (at === 0) await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`);
      },
    }));
    for (const one of lost) await expect(one).rejects.toSatisfy((error) => databaseProblem(error) === 'down');
    expect(await rowCounts()).toMatchObject({ submissions: 0, results: 0, points: 0 });
    expect(await statuses(together(group, inputs, () => ({})))).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await rowCounts()).toMatchObject({ submissions: 3, results: 3, points: 3 });
  });
});

test('atOnce throws the first error, not one that follows from it', async () => {
  const failing = database().db.transaction((tx) =>
    atOnce([tx.execute(sql`select 1`).then(() => tx.execute(sql`select 2`)), tx.execute(sql`select 1 / 0`)]),
  );
  await expect(failing).rejects.toMatchObject({ cause: { code: '22012' } });
});

test('atOnce runs each statement once', async () => {
  await database().db.execute(sql`create sequence if not exists turns`);
  const turnOf = (db: Queryable) => db.execute<{ turn: number }>(sql`select nextval('turns')::int as turn`);
  const [before] = await turnOf(database().db);
  await database().db.transaction((tx) => atOnce([turnOf(tx), tx.execute(sql`select 1`)]));
  const [after] = await turnOf(database().db);
  expect((after?.turn ?? 0) - (before?.turn ?? 0)).toBe(2);
});
