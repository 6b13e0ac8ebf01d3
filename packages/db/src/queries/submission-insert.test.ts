import { createHash, randomUUID } from 'node:crypto';
import type { CheckedResult } from '@inferboard/core/result';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../client.ts';
import { useTestDatabase } from '../testing/index.ts';
import { insertAccount } from './account.ts';
import { findArtifactOfSubmission } from './artifact-find.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';
import { listResultsBySubmission } from './result-list.ts';
import type { PointStatisticsRow } from './row-types.ts';
import { findSubmission, findSubmissionByFingerprint } from './submission-find.ts';
import { insertSubmission, type NewSubmission } from './submission-insert.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;

beforeAll(() => {
  database = createDatabase(testDatabase.url, { poolSize: 20 });
});
afterAll(() => database.close());

const tables = ['findings', 'results', 'point_statistics', 'points', 'scenarios', 'systems', 'submissions', 'artifacts'];

beforeEach(async () => {
  await database.sql.unsafe(`truncate ${tables.join(', ')} cascade`);
  accountId = (await insertAccount(database.db, `account ${randomUUID()}`))?.id ?? '';
});

interface Measurement {
  level?: number;
  metrics?: Record<string, number>;
  definitions?: Record<string, string>;
  repeats?: unknown;
}

/** Results as an upload would have them: read, derived and checked. */
function resultsOf(measurements: Measurement[], system: Record<string, unknown> = {}): CheckedResult[] {
  const report = {
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, ...system },
    scenario: 'chatbot',
    results: measurements.map(({ level = 8, metrics = { output_tok_s: 100 }, ...rest }) => ({
      load: { mode: 'concurrency', level },
      metrics,
      ...rest,
    })),
  };
  return readSubmission(new TextEncoder().encode(JSON.stringify(report)), {}).results;
}

function submissionOf(results: CheckedResult[], over: Partial<NewSubmission> = {}): NewSubmission {
  const bytes = new TextEncoder().encode(randomUUID());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    accountId,
    artifact: { sha256, bytes, mediaType: 'application/json' },
    fingerprint: sha256,
    tool: { name: 'native', version: null },
    parameters: { gpu: 'h100-sxm' },
    ignored: ['colour'],
    notes: 'a note',
    sourceUrl: 'https://example.org/',
    status: 'accepted',
    results,
    ...over,
  };
}

const insert = (results: CheckedResult[], over: Partial<NewSubmission> = {}) =>
  insertSubmission(database.db, submissionOf(results, over));

async function rowCounts(): Promise<Record<string, number>> {
  const counts = await Promise.all(
    tables.map(async (table) => {
      const [row] = await database.sql.unsafe(`select count(*)::int as n from ${table}`);
      return [table, row?.n] as const;
    }),
  );
  return Object.fromEntries(counts);
}

async function statisticsRows(): Promise<PointStatisticsRow[]> {
  const rows = await database.sql<{ row: PointStatisticsRow }[]>`
    select to_jsonb(t) || jsonb_build_object('load_level', p.load_level) as row
    from point_statistics t join points p on p.id = t.point_id
    order by p.load_level, t.status, t.definition_set`;
  return rows.map(({ row }) => row);
}

describe('an upload', () => {
  test('is stored with its bytes, its words, its results and their findings', async () => {
    const results = resultsOf([{ metrics: { req_s: 9.5, requests_ok: 100, duration_s: 20.5 } }, { level: 16 }]);
    const input = submissionOf(results);
    const { id, duplicate } = await insertSubmission(database.db, input);
    expect(duplicate).toBe(false);
    expect(id).toMatch(/^sub_[0-9a-f]{32}$/);
    expect(await findSubmission(database.db, id)).toMatchObject({
      id,
      account_id: accountId,
      artifact_sha256: input.artifact.sha256,
      artifact_size: input.artifact.bytes.length,
      artifact_media_type: 'application/json',
      status: 'accepted',
      tool: 'native',
      tool_version: null,
      parameters: { gpu: 'h100-sxm' },
      ignored: ['colour'],
      notes: 'a note',
      source_url: 'https://example.org/',
      retracted_at: null,
      results: 2,
    });
    expect(Buffer.from((await findArtifactOfSubmission(database.db, id))?.bytes ?? [])).toEqual(
      Buffer.from(input.artifact.bytes),
    );
    const rows = await listResultsBySubmission(database.db, id);
    expect(rows.map((row) => [row.ordinal, row.load_level, row.status])).toEqual([
      [0, 8, 'quarantined'],
      [1, 16, 'accepted'],
    ]);
    expect(rows[0]?.findings.map((finding) => finding.code)).toEqual(['request_rate_contradicts']);
    expect(rows[0]?.unchecked.map((finding) => finding.code)).toEqual(['weights_exceed_memory']);
    expect(rows[1]).toMatchObject({ output_tok_s: 100, output_tok_s_per_gpu: 100, ttft_ms_mean: null });
    expect(rows[1]?.derived.sort()).toEqual(['output_tok_s_per_gpu', 'tok_per_joule']);
  });

  test('of one account is stored once, of two accounts twice, its bytes once', async () => {
    const input = submissionOf(resultsOf([{}]));
    const first = await insertSubmission(database.db, input);
    expect(await insertSubmission(database.db, input)).toEqual({ id: first.id, duplicate: true });
    expect(await findSubmissionByFingerprint(database.db, accountId, input.fingerprint)).toBe(first.id);
    const other = (await insertAccount(database.db, 'another'))?.id ?? '';
    expect(await insertSubmission(database.db, { ...input, accountId: other })).toMatchObject({ duplicate: false });
    expect(await rowCounts()).toMatchObject({ submissions: 2, results: 2, artifacts: 1, points: 1, systems: 1 });
  });

  test('with thousands of results comes back whole and in order', async () => {
    const results = resultsOf(Array.from({ length: 4100 }, (_, index) => ({ level: 1 + (index % 7) })));
    const { id } = await insert(results);
    const rows = await listResultsBySubmission(database.db, id);
    expect(rows.map((row) => row.ordinal)).toEqual(results.map((_, index) => index));
    expect(rows.map((row) => row.load_level)).toEqual(results.map((result) => result.load.level));
    expect((await statisticsRows()).reduce((sum, row) => sum + row.results, 0)).toBe(4100);
  });
});

// An acknowledged submission is there; one that failed has left nothing that a reader could meet.
describe('all of an upload is stored or nothing', () => {
  const spoil: [string, (result: CheckedResult) => CheckedResult][] = [
    ['a kind the database does not know', (result) => ({ ...result, kind: 'nonsense' as 'serving' })],
    ['a load mode it does not know', (result) => ({ ...result, load: { mode: 'nonsense' as 'rate', level: 1 } })],
    ['a status it does not know', (result) => ({ ...result, status: 'nonsense' as 'accepted' })],
    [
      'a severity it does not know',
      (result) => ({
        ...result,
        findings: [{ code: 'x', severity: 'nonsense' as 'info', message: '', evidence: {} }],
      }),
    ],
    ['a count beyond its column', (result) => ({ ...result, repetition: 2 ** 31 })],
    ['a time that is none', (result) => ({ ...result, measuredAt: 'yesteryear' })],
  ];

  test.each(spoil)('%s in the last of three results', async (_, change) => {
    const results = resultsOf([{ level: 1 }, { level: 2 }, { level: 4 }]);
    await insert(resultsOf([{ level: 1 }]));
    const before = await rowCounts();
    const statistics = await statisticsRows();
    const spoilt = results.map((result, index) => (index === 2 ? change(result) : result));
    await expect(insert(spoilt)).rejects.toThrow();
    expect(await rowCounts()).toEqual(before);
    expect(await statisticsRows()).toEqual(statistics);
    // The very same upload, put right, is no duplicate of the one that failed.
    expect(await insert(results)).toMatchObject({ duplicate: false });
  });

  test('an account that does not exist', async () => {
    await expect(insert(resultsOf([{}]), { accountId: 'acc_none' })).rejects.toThrow();
    expect(Object.values(await rowCounts()).every((n) => n === 0)).toBe(true);
  });
});

describe('the statistics of a point', () => {
  test('follow its results from one submission to the next', async () => {
    for (const output_tok_s of [101.2, 99.8, 100.4]) await insert(resultsOf([{ metrics: { output_tok_s } }]));
    const [row, ...more] = await statisticsRows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ status: 'accepted', results: 3, trust: 'self_reported', load_level: 8 });
    const statistics = row?.statistics.output_tok_s;
    expect(statistics).toMatchObject({ n: 3, results: 3, median: 100.4, min: 99.8, max: 101.2, basis: 'results' });
    expect(statistics?.mean).toBeCloseTo(100.467, 3);
    expect(statistics?.sd).toBeCloseTo(0.7024, 4);
    expect(statistics?.cv).toBeCloseTo(0.00699, 5);
    expect(statistics?.ci95?.[0]).toBeCloseTo(98.722, 3);
    expect(statistics?.ci95?.[1]).toBeCloseTo(102.212, 3);
    expect(row?.output_tok_s).toBe(statistics?.mean);
    expect(row?.ttft_ms_mean).toBeNull();
    expect(row?.statistics).not.toHaveProperty('ttft_ms_mean');
  });

  test('name the results that stand out', async () => {
    const values = [100, 101, 99, 100.5, 87];
    const { id } = await insert(resultsOf(values.map((output_tok_s) => ({ metrics: { output_tok_s } }))));
    const results = await listResultsBySubmission(database.db, id);
    const [row] = await statisticsRows();
    expect(row?.statistics.output_tok_s?.outliers).toMatchObject([{ value: 87, index: 4, result_id: results[4]?.id }]);
  });

  test('of a metric that only some results have are over those', async () => {
    await insert(resultsOf([{ metrics: { output_tok_s: 100, ttft_ms_mean: 50 } }, { metrics: { output_tok_s: 110 } }]));
    // The results were made by different sets of formulas, so they are not put together at all.
    const rows = await statisticsRows();
    expect(rows.map((row) => [row.results, row.output_tok_s, row.ttft_ms_mean]).sort()).toEqual([
      [1, 100, 50],
      [1, 110, null],
    ]);
  });

  test('are kept apart by load', async () => {
    await insert(resultsOf([{ level: 1 }, { level: 2 }, { level: 2 }]));
    expect((await statisticsRows()).map((row) => [row.load_level, row.results])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  // A quarantined figure must not move the mean of those that are believed.
  test('are kept apart by standing', async () => {
    const [honest] = resultsOf([{ metrics: { output_tok_s: 100 } }]);
    const [doubted] = resultsOf([{ metrics: { output_tok_s: 9000 } }]);
    if (honest === undefined || doubted === undefined) throw new Error('no result');
    await insert([honest, { ...doubted, status: 'quarantined' }, honest]);
    await insert([{ ...doubted, status: 'retracted' }]);
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['accepted', 2, 100],
      ['quarantined', 1, 9000],
      ['retracted', 1, 9000],
    ]);
  });

  test('are kept apart by formula, in whatever order the definitions came', async () => {
    const metrics = { itl_ms_mean: 10, ttft_ms_mean: 50 };
    const token = { itl_ms: 'per_token', ttft_ms: 'send_to_first_token' };
    const reversed = { ttft_ms: 'send_to_first_token', itl_ms: 'per_token' };
    await insert(
      resultsOf([
        { metrics, definitions: token },
        { metrics, definitions: reversed },
        { metrics, definitions: { itl_ms: 'per_chunk', ttft_ms: 'send_to_first_token' } },
      ]),
    );
    expect((await statisticsRows()).map((row) => [row.definitions.itl_ms, row.results])).toEqual([
      ['per_chunk', 1],
      ['per_token', 2],
    ]);
  });

  test("take in what a tool says of repetitions it averaged", async () => {
    const metrics = { output_tok_s: 100 };
    await insert(resultsOf([{ metrics, repeats: { n: 5, sd: { output_tok_s: 2 } } }]));
    await insert(resultsOf([{ level: 2, metrics, repeats: { sd: { output_tok_s: 2 } } }]));
    await insert(resultsOf([{ level: 4, metrics: { output_tok_s: 2 }, repeats: { samples: { output_tok_s: [1, 2, 3] } } }]));
    const rows = await statisticsRows();
    expect(rows.map((row) => row.statistics.output_tok_s)).toMatchObject([
      { n: 5, sd: 2, basis: 'pooled' },
      { n: null, sd: 2, ci95: null, basis: 'tool_summary' },
      { n: 3, sd: 1, median: 2, basis: 'samples' },
    ]);
  });

  test('count the findings of all their results, and not what was left unchecked', async () => {
    const doubted = { metrics: { req_s: 9.5, requests_ok: 100, duration_s: 20.5 } };
    await insert(resultsOf([doubted, doubted]));
    expect((await statisticsRows()).map((row) => row.findings)).toEqual([2]);
  });

  test('move with the standing of a result, and are gone with the last one', async () => {
    await insert(resultsOf([{ metrics: { output_tok_s: 100 } }, { metrics: { output_tok_s: 200 } }]));
    const refresh = (change: string) =>
      database.db.transaction(async (tx) => {
        await tx.execute(change);
        const rows = (await tx.execute('select id from points')) as unknown as { id: string }[];
        await refreshPointStatistics(tx, rows.map((row) => Number(row.id)));
      });
    await refresh('update results set status = \'retracted\' where output_tok_s = 200');
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['accepted', 1, 100],
      ['retracted', 1, 200],
    ]);
    await refresh("update results set status = 'retracted'");
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['retracted', 2, 150],
    ]);
    await refresh('delete from results');
    expect(await statisticsRows()).toEqual([]);
  });

  test('of no points need nothing', async () => {
    await database.db.transaction((tx) => refreshPointStatistics(tx, []));
    expect(await statisticsRows()).toEqual([]);
  });
});

describe('at the same time', () => {
  const shuffled = <T>(values: T[], seed: number): T[] =>
    values
      .map((value, index) => [((index + 1) * 7919 * (seed + 1)) % 101, value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);

  // Deadlocks would fail uploads at random; a lost result would leave a point's statistics wrong for ever.
  test.each([1, 2, 3])('twenty uploads to the same new points all land, and every point counts them (round %d)', async (round) => {
    const gpus = ['h100-sxm', 'rtx-4090', 'l4', 'a30'];
    const levels = [1, 2, 4, 8, 16];
    const uploads = Array.from({ length: 20 }, (_, upload) => {
      const systems = shuffled(gpus, upload + round);
      return systems.flatMap((gpu) =>
        resultsOf(
          shuffled(levels, upload * round).map((level) => ({ level, metrics: { output_tok_s: 100 + upload } })),
          { gpu },
        ),
      );
    });
    const outcomes = await Promise.allSettled(uploads.map((results) => insert(results)));
    expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([]);
    expect(await rowCounts()).toMatchObject({ submissions: 20, systems: 4, scenarios: 1, points: 20, results: 400 });
    const rows = await statisticsRows();
    expect(rows).toHaveLength(20);
    for (const row of rows) {
      expect(row.results).toBe(20);
      expect(row.statistics.output_tok_s?.n).toBe(20);
      expect(row.output_tok_s).toBeCloseTo(109.5, 9);
    }
  });

  test('the same upload ten times is one submission, and all ten learn its id', async () => {
    const input = submissionOf(resultsOf([{}, { level: 16 }]));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => insertSubmission(database.db, input)));
    expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(1);
    expect(outcomes.filter((outcome) => !outcome.duplicate)).toHaveLength(1);
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 2 });
  });

  test('one that fails does not take its twin along', async () => {
    const input = submissionOf(resultsOf([{}]));
    const spoilt = { ...input, results: input.results.map((result) => ({ ...result, status: 'nonsense' as 'accepted' })) };
    const outcomes = await Promise.allSettled([
      insertSubmission(database.db, spoilt),
      insertSubmission(database.db, input),
      insertSubmission(database.db, spoilt),
    ]);
    // The good one lands whenever it is first or its predecessors have failed.
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { duplicate: false } });
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 1 });
  });
});
