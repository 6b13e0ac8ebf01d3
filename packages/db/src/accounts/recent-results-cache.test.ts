import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import { observeStatements } from '../connection/observe-statements.ts';
import { listRecent } from '../submissions/recent-results.ts';
import { insertSubmission } from '../submissions/submission-insert.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { type RecentEntry, RecentResultsCache } from './recent-results-cache.ts';

const { database, url, submissionOf, insert, statisticsRows, refreshAll } = useUploads();

/** Simulates another process. */
let other: Database;
beforeAll(() => {
  other = createDatabase(url(), { poolSize: 2 });
});
afterAll(() => other.close());

let reads = 0;
observeStatements(() => ({ statement }) => {
  if (/select own\.\*/.test(statement)) reads += 1;
});
const readsOf = async (work: () => Promise<unknown>) => {
  reads = 0;
  await work();
  return reads;
};

/** Distinct runs that are repetitions of one point. */
const speed = (at: number) => Number((100.1234 + 0.3 * at).toFixed(4));
const run = (at: number) => resultsOf([{ metrics: { output_tok_s: speed(at), ttft_ms_mean: speed(at) / 2 } }]);
const statistics = async () => (await statisticsRows()).map(({ updated_at: _, ...row }) => row);
async function expectCurrent(): Promise<void> {
  const before = await statistics();
  await refreshAll();
  expect(await statistics()).toEqual(before);
}

describe('the newest results at a point', () => {
  test('are read once, and again after changes by another process', async () => {
    await insert(run(0));
    expect(await readsOf(() => insert(run(1)))).toBe(1);
    expect(await readsOf(() => insert(run(2)))).toBe(0);
    // Results that this process sent are compared, too.
    const again = await insert(run(2));
    const [copy] = await database().sql`select copy_reason from results where submission_id = ${again.id}`;
    expect(copy?.copy_reason).toBe('same_run');
    expect(await readsOf(() => insertSubmission(other.db, submissionOf(run(3))))).toBe(1);
    expect(await readsOf(() => insert(run(4)))).toBe(1);
    expect(await readsOf(() => insert(run(5)))).toBe(0);
    expect((await statistics())[0]?.statistics.output_tok_s).toMatchObject({
      n: 6,
      median: expect.closeTo((speed(2) + speed(3)) / 2, 6),
    });
    await expectCurrent();
    expect(await readsOf(() => insert(run(6)))).toBe(1);
    await refreshAll("update results set status = 'retracted' where output_tok_s > 101.8");
    expect(await readsOf(() => insert(run(7)))).toBe(1);
    expect((await statistics())[0]?.statistics.output_tok_s).toMatchObject({ n: 7, max: speed(7) });
    await expectCurrent();
  });

  test('are correct with two processes and other changes', async () => {
    for (let at = 0; at < 12; at += 1) {
      const { db } = at % 3 === 0 ? other : database();
      await insertSubmission(db, submissionOf(run(at)));
    }
    await expectCurrent();
    // Both processes' caches are outdated, and the number of results is unchanged.
    await refreshAll('update results set output_tok_s = output_tok_s * 1.25 where output_tok_s < 100.2');
    await insertSubmission(other.db, submissionOf(run(12)));
    await insert(run(13));
    await expectCurrent();
    const { max } = (await statistics())[0]?.statistics.output_tok_s ?? {};
    expect(max).toBeCloseTo(speed(0) * 1.25, 6);
  });

  test('are read without known ones', async () => {
    for (let at = 0; at < 3; at += 1) await insert(run(at));
    const stored = await database().sql<{ id: string; pointId: number; account: string }[]>`
      select id, point_id::int as "pointId", account_id as account from results order by id`;
    const [first, second, third] = stored;
    if (first === undefined || second === undefined || third === undefined) throw new Error('three results are stored');
    const read = await database().db.transaction((tx) =>
      listRecent(tx, [{ ...third, after: first.id, known: [second.id] }]),
    );
    expect(read.map(({ id }) => id)).toEqual([third.id]);
  });

  test('do not include those of a rolled-back transaction', async () => {
    await insert(run(0));
    await insert(run(1));
    const refused = insertSubmission(database().db, submissionOf(run(9)), {
      stored: async () => {
        throw new Error('a dry run');
      },
    });
    await expect(refused).rejects.toThrow('a dry run');
    expect((await insert(run(9))).duplicate).toBe(false);
    expect((await statistics())[0]?.statistics.output_tok_s).toMatchObject({ n: 3, max: speed(9) });
    await expectCurrent();
  });
});

test('the cache has a maximum number of results, and keeps the latest', () => {
  const cache = new RecentResultsCache();
  const at = (pointId: number, count: number): RecentEntry => ({
    ...{ pointId, account: 'acc_1', claims: [] },
    recent: Array.from({ length: count }, () => ({
      id: '',
      submissionId: '',
      contribution: {} as never,
      figures: () => [],
    })),
  });
  for (let point = 1; point <= 30; point += 1) cache.store([at(point, 500)]);
  expect(cache.find({ pointId: 10, account: 'acc_1' })).toBeNull();
  expect(cache.find({ pointId: 11, account: 'acc_1' })).not.toBeNull();
  expect(cache.find({ pointId: 11, account: 'acc_2' })).toBeNull();
  cache.store([at(11, 50)]);
  cache.store([at(31, 500)]);
  expect(cache.find({ pointId: 11, account: 'acc_1' })?.recent).toHaveLength(50);
  expect(cache.find({ pointId: 12, account: 'acc_1' })).toBeNull();
});
