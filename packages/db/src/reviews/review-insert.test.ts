import { createHash, randomUUID } from 'node:crypto';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import { applyMapping, type Mapping } from '@inferboard/core/submission/review';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { listResultsBySubmission } from '../submissions/result-list.ts';
import { findSubmission } from '../submissions/submission-find.ts';
import { insertSubmission } from '../submissions/submission-insert.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertReview, type NewReview } from './review-insert.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 10 });
  accountId = (await insertAccount(database.db, 'admin'))?.id ?? '';
});
afterAll(() => database.close());

const mapping: Mapping = { gpu: { from: 'Frobnicator', to: 'h100-sxm' } };

/** Results of one point, separated from other tests by the engine's version. */
function artifactOf(version: string, gpu: string, values: number[]): Uint8Array {
  const report = {
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu, gpu_count: 1, engine: { name: 'vllm', version } },
    scenario: 'chatbot',
    results: values.map((value) => ({ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: value } })),
  };
  return new TextEncoder().encode(JSON.stringify(report));
}

async function submit(version: string, gpu: string, values: number[]) {
  const bytes = artifactOf(version, gpu, values);
  const { results } = readSubmission(bytes, {});
  const { id } = await insertSubmission(database.db, {
    accountId,
    artifact: {
      sha256: createHash('sha256').update(bytes).digest('hex'),
      size: bytes.length,
      stored: { bytes, packing: null },
      mediaType: 'application/json',
    },
    fingerprint: randomUUID(),
    tool: { name: 'native', version: null },
    parameters: {},
    ignored: [],
    notes: null,
    sourceUrl: null,
    status: results.some(({ status }) => status === 'quarantined') ? 'quarantined' : 'accepted',
    results,
  });
  return { id, bytes };
}

/** A review of all results of a submission. */
async function reviewOf(submission: { id: string; bytes: Uint8Array }, decision: 'clear' | 'map'): Promise<NewReview> {
  const rows = await listResultsBySubmission(database.db, submission.id);
  const reread = readSubmission(submission.bytes, {}, { amend: (system) => applyMapping(system, mapping) }).results;
  return {
    submissionId: submission.id,
    accountId,
    decision,
    note: 'looked at',
    mapping: decision === 'map' ? mapping : null,
    results: rows.map(({ id }) => id),
    reviewsBefore: 0,
    changes: rows.map(({ id }, at) =>
      decision === 'map' ? { id, mapping, reread: reread[at] ?? null } : { id, mapping: null, reread: null },
    ),
  };
}

async function standings(version: string) {
  const rows = await database.sql<{ row: PackedRow; gpu: string | null }[]>`
    select to_jsonb(t) - '{updated_at,summed_by}'::text[] as row, s.gpu_id as gpu
    from point_statistics t join points p on p.id = t.point_id join systems s on s.id = p.system_id
    where s.engine_version = ${version} order by s.gpu_id nulls first, t.status, t.variant`;
  return rows.map(({ row, gpu }) => ({ gpu, ...unpackRow(row) }));
}

async function expectCurrent(version: string): Promise<void> {
  const before = await standings(version);
  const ids = before.map(({ point_id }) => Number(point_id));
  await database.db.transaction((tx) => refreshPointStatistics(tx, ids));
  expect(await standings(version)).toEqual(before);
}

const many = (count: number, from: number) => Array.from({ length: count }, (_, at) => from + ((at * 7) % 11));
const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a review', () => {
  test('moves results into and out of a group of more than a thousand', async () => {
    const [there, held, stays] = [many(1100, 100), many(1200, 200), many(900, 300)];
    await submit('large', 'h100-sxm', there);
    const submission = await submit('large', 'Frobnicator', held);
    await submit('large', 'Frobnicator', stays);
    const summary = async () =>
      (await standings('large')).map(({ gpu, status, results, statistics: { output_tok_s: of } }) => ({
        gpu,
        status,
        results,
        n: of?.n,
        mean: of?.mean,
        median: of?.median,
      }));
    expect(await summary()).toMatchObject([
      { gpu: null, status: 'quarantined', n: 2100, median: 304 },
      { gpu: 'h100-sxm', status: 'accepted', n: 1100, median: 105 },
    ]);
    expect(await insertReview(database.db, await reviewOf(submission, 'map'))).toBe(true);
    expect(await summary()).toEqual([
      { gpu: null, status: 'quarantined', results: 900, n: 900, mean: expect.closeTo(mean(stays), 9), median: 305 },
      {
        gpu: 'h100-sxm',
        status: 'accepted',
        results: 2300,
        n: 2300,
        mean: expect.closeTo(mean([...there, ...held]), 9),
        median: 205,
      },
    ]);
    await expectCurrent('large');
  });

  test('leaves no statistics without results', async () => {
    const submission = await submit('empty', 'Frobnicator', [100, 101, 102]);
    expect(await insertReview(database.db, await reviewOf(submission, 'map'))).toBe(true);
    expect(await standings('empty')).toMatchObject([{ gpu: 'h100-sxm', status: 'accepted', results: 3 }]);
    await expectCurrent('empty');
  });

  test('that clears results changes only their status', async () => {
    const submission = await submit('clear', 'Frobnicator', [100, 101, 102]);
    expect(await insertReview(database.db, await reviewOf(submission, 'clear'))).toBe(true);
    expect(await standings('clear')).toMatchObject([{ gpu: null, status: 'accepted', results: 3 }]);
    expect(await findSubmission(database.db, submission.id)).toMatchObject({
      status: 'accepted',
      reviews: [{ decision: 'clear', note: 'looked at', mapping: null, account_name: 'admin' }],
    });
    await expectCurrent('clear');
  });

  test('is rejected if the submission was reviewed or retracted in the meantime', async () => {
    const submission = await submit('stale', 'Frobnicator', [100]);
    const review = await reviewOf(submission, 'clear');
    expect(await insertReview(database.db, { ...review, reviewsBefore: 1 })).toBe(false);
    await database.sql`update submissions set status = 'retracted' where id = ${submission.id}`;
    expect(await insertReview(database.db, review)).toBe(false);
    expect(await findSubmission(database.db, submission.id)).toMatchObject({ status: 'retracted', reviews: [] });
    expect(await standings('stale')).toMatchObject([{ status: 'quarantined' }]);
  });

  test('is stored completely or not at all', async () => {
    const submission = await submit('atomic', 'Frobnicator', [100, 101]);
    const review = await reviewOf(submission, 'map');
    const changes = [...review.changes, { id: 'res_nobody', mapping: null, reread: null }];
    const before = await standings('atomic');
    await expect(insertReview(database.db, { ...review, changes })).rejects.toThrow('does not exist');
    expect(await standings('atomic')).toEqual(before);
    expect(await findSubmission(database.db, submission.id)).toMatchObject({ status: 'quarantined', reviews: [] });
  });

  test('and simultaneous uploads of the same bytes leave one counted result per point', async () => {
    for (let round = 0; round < 12; round += 1) {
      const version = `copies.${round}`;
      const first = await submit(version, 'Frobnicator', [100, 101]);
      if (round % 2 === 0) await submit(version, 'Frobnicator', [100, 101]);
      const review = await reviewOf(first, 'map');
      const [isStored] = await Promise.all([
        insertReview(database.db, review),
        submit(version, 'Frobnicator', [100, 101]),
        submit(version, 'Frobnicator', [100, 101]),
      ]);
      expect(isStored).toBe(true);
      expect(await standings(version)).toMatchObject([
        { gpu: null, status: 'quarantined', results: 2 },
        { gpu: 'h100-sxm', status: 'accepted', results: 2 },
      ]);
      await expectCurrent(version);
    }
  });

  test('waits for a running upload of the same bytes, whose result is then counted instead', async () => {
    const first = await submit('begun', 'Frobnicator', [100, 101]);
    const review = await reviewOf(first, 'map');
    const waiting = async (count: number) => {
      await expect
        .poll(async () => {
          const [row] = await database.sql`
            select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`;
          return row?.n;
        })
        .toBe(count);
    };
    const { upload, reviewed } = await database.sql.begin(async (sql) => {
      // The upload has elected its counting results before it reaches the locked point, and is blocked there.
      await sql`
        select p.id from points p join systems s on s.id = p.system_id
        where s.engine_version = 'begun' for update of p`;
      const upload = submit('begun', 'Frobnicator', [100, 101]);
      await waiting(1);
      const reviewed = insertReview(database.db, review);
      await waiting(2);
      return { upload, reviewed };
    });
    const { id } = await upload;
    expect(await reviewed).toBe(true);
    expect(await listResultsBySubmission(database.db, id)).toMatchObject([{ copy_of: null }, { copy_of: null }]);
    expect(await standings('begun')).toMatchObject([
      { gpu: null, status: 'quarantined', results: 2 },
      { gpu: 'h100-sxm', status: 'accepted', results: 2 },
    ]);
    await expectCurrent('begun');
  });
});
