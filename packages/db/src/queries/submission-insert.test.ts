import { createHash, randomUUID } from 'node:crypto';
import { unspecifiedLoad } from '@inferboard/core/load';
import type { CheckedResult } from '@inferboard/core/result';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from '../client.ts';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
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

const tables = ['results', 'point_statistics', 'points', 'scenarios', 'systems', 'submissions', 'artifacts'];

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
    artifact: { sha256, size: bytes.length, stored: { bytes, packing: null }, mediaType: 'application/json' },
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
  const rows = await database.sql<{ row: PackedRow }[]>`
    select to_jsonb(t) - 'changed_in' || jsonb_build_object('load_level', p.load_level) as row
    from point_statistics t join points p on p.id = t.point_id
    order by p.load_level, t.status, t.variant`;
  return rows.map(({ row }) => unpackRow(row));
}

/** Computes all statistics anew from what is stored, after a change. */
async function refreshAll(change = 'select 1'): Promise<void> {
  await database.db.transaction(async (tx) => {
    await tx.execute(change);
    const rows = (await tx.execute('select id from points')) as unknown as { id: string }[];
    await refreshPointStatistics(
      tx,
      rows.map((row) => Number(row.id)),
    );
  });
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
      artifact_size: input.artifact.size,
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
      Buffer.from(input.artifact.stored.bytes),
    );
    const rows = await listResultsBySubmission(database.db, id);
    expect(rows.map((row) => [row.ordinal, row.load_level, row.status])).toEqual([
      [0, 8, 'quarantined'],
      [1, 16, 'accepted'],
    ]);
    expect(rows[0]?.findings.map((finding) => finding.code)).toEqual(['request_rate_contradicts']);
    expect(rows[0]?.unchecked.map(([check]) => check)).toContain('A11');
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

  // Console blocks without the command above them; their results are repetitions of one point like any others.
  test('whose load nobody told is stored at a point without a level', async () => {
    const untold = resultsOf([{}, {}]).map((result) => ({ ...result, load: unspecifiedLoad }));
    const { id } = await insert([...untold, ...resultsOf([{ level: 1 }])]);
    const rows = await listResultsBySubmission(database.db, id);
    expect(rows.map((row) => [row.load_mode, row.load_level])).toEqual([
      ['unspecified', null],
      ['unspecified', null],
      ['concurrency', 1],
    ]);
    expect((await statisticsRows()).map((row) => row.results)).toEqual([1, 2]);
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
    ['a count beyond its column', (result) => ({ ...result, repetition: 2 ** 31 })],
    ['a level for a load that has none', (result) => ({ ...result, load: { mode: 'unspecified', level: 1 } as never })],
    ['a time in the year 0', (result) => ({ ...result, measuredAt: '0000-01-01T00:00:00.000Z' })],
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
    expect(statistics?.ci95?.[0]).toBeCloseTo(98.722, 2);
    expect(statistics?.ci95?.[1]).toBeCloseTo(102.212, 2);
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
      ['per_token', 3],
      ['per_chunk', 3],
    ]);
  });

  // Three runs are three runs, whatever else each of them happens to report.
  test('are of all results that have the value, whatever else they have', async () => {
    await insert(
      resultsOf([
        { metrics: { output_tok_s: 100 } },
        { metrics: { output_tok_s: 110, ttft_ms_mean: 50 } },
        { metrics: { output_tok_s: 105, tpot_ms_mean: 70 } },
      ]),
    );
    const [row, ...more] = await statisticsRows();
    expect(more).toEqual([]);
    expect(row).toMatchObject({ variant: 0, results: 3, output_tok_s: 105, ttft_ms_mean: 50, tpot_ms_mean: 70 });
    expect(row?.statistics.output_tok_s).toMatchObject({ n: 3, mean: 105, sd: 5 });
    expect(row?.statistics.ttft_ms_mean).toMatchObject({ n: 1, sd: null });
    expect(row?.definitions).toMatchObject({ ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token' });
  });

  test('have the preferred formula first, even where it comes last', async () => {
    const decode = (decode_tok_s: number, id: string) =>
      resultsOf([{ metrics: { decode_tok_s }, definitions: { decode_tok_s: id } }]);
    await insert(decode(900, 'in_process'));
    await insert(decode(902, 'in_process'));
    await insert(decode(100, 'client'));
    const rows = await statisticsRows();
    expect(rows.map((row) => [row.variant, row.definitions.decode_tok_s, row.decode_tok_s, row.results])).toEqual([
      [0, 'client', 100, 3],
      [1, 'in_process', 901, 3],
    ]);
    expect(rows.map((row) => row.statistics.decode_tok_s?.n)).toEqual([1, 2]);
  });

  const random = (seed: number) => {
    let state = seed;
    return (most: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * most);
    };
  };

  // However they were come by: new point, known point, or both in one upload.
  test.each([1, 2, 3])('are what all stored results give, after uploads in any order (seed %d)', async (seed) => {
    const pick = random(seed);
    const upload = () =>
      Array.from({ length: 1 + pick(6) }, () => {
        const hasDecode = pick(4) > 0;
        const hasOutput = pick(2) > 0;
        const repeats = [undefined, { n: 3, sd: { output_tok_s: 2 } }, { sd: { output_tok_s: 1 } }][pick(5)];
        const [result] = resultsOf([
          {
            level: 1 + pick(4),
            metrics: {
              ...(hasDecode ? { decode_tok_s: 100 + pick(50) } : { req_s: 1 + pick(9) }),
              ...(hasOutput ? { output_tok_s: 90 + pick(20) } : {}),
            },
            definitions: hasDecode ? { decode_tok_s: ['client', 'in_process'][pick(2)] ?? '' } : {},
            ...(hasOutput && repeats !== undefined ? { repeats } : {}),
          },
        ]);
        if (result === undefined) throw new Error('no result');
        return { ...result, status: (['accepted', 'quarantined'] as const)[pick(5) === 0 ? 1 : 0] };
      });
    for (let round = 0; round < 12; round++) await insert(upload());
    const kept = (rows: PointStatisticsRow[]) => rows.map(({ updated_at: _, ...row }) => row);
    const before = await statisticsRows();
    await refreshAll();
    expect(kept(await statisticsRows())).toEqual(kept(before));
    expect(new Set(before.map((row) => row.variant)).size).toBeGreaterThan(1);
  });

  describe('of a point with very many results', () => {
    const many = () =>
      resultsOf(Array.from({ length: 1500 }, (_, i) => ({ metrics: { output_tok_s: 100 + (i % 7) } })));

    test('take in more without reading those there are', async () => {
      await insert(many());
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 1500, median: null });
      await insert(resultsOf([{ metrics: { output_tok_s: 300, ttft_ms_mean: 5 } }]));
      const [row, ...more] = await statisticsRows();
      expect(more).toEqual([]);
      expect(row).toMatchObject({ results: 1501, variant: 0, ttft_ms_mean: 5 });
      expect(row?.statistics.output_tok_s).toMatchObject({ n: 1501, min: 100, max: 300, median: null, outliers: [] });
      await refreshAll();
      const [again] = await statisticsRows();
      const [one, two] = [row?.statistics.output_tok_s, again?.statistics.output_tok_s];
      expect(one?.mean).toBeCloseTo(two?.mean ?? 0, 9);
      expect(one?.sd).toBeCloseTo(two?.sd ?? 0, 9);
    });

    test('read them where the number of repetitions behind some is not known', async () => {
      const repeats = { n: 5, sd: { output_tok_s: 2 } };
      await insert(resultsOf(Array.from({ length: 1001 }, () => ({ repeats }))));
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 5005, basis: 'pooled' });
      await insert(resultsOf([{ repeats: { sd: { output_tok_s: 2 } } }]));
      expect((await statisticsRows())[0]?.statistics.output_tok_s).toMatchObject({ n: 1002, basis: 'results' });
    });

    test('are of all of them when uploads come at once', async () => {
      await insert(many());
      await Promise.all(
        Array.from({ length: 12 }, (_, i) => insert(resultsOf([{ metrics: { output_tok_s: 100 + i } }]))),
      );
      expect(await statisticsRows()).toMatchObject([{ results: 1512, statistics: { output_tok_s: { n: 1512 } } }]);
    });
  });

  test('take in what a tool says of repetitions it averaged', async () => {
    const metrics = { output_tok_s: 100 };
    await insert(resultsOf([{ level: 1, metrics, repeats: { n: 5, sd: { output_tok_s: 2 } } }]));
    await insert(resultsOf([{ level: 2, metrics, repeats: { sd: { output_tok_s: 2 } } }]));
    await insert(
      resultsOf([{ level: 4, metrics: { output_tok_s: 2 }, repeats: { samples: { output_tok_s: [1, 2, 3] } } }]),
    );
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
    await refreshAll("update results set status = 'retracted' where output_tok_s = 200");
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['accepted', 1, 100],
      ['retracted', 1, 200],
    ]);
    await refreshAll("update results set status = 'retracted'");
    expect((await statisticsRows()).map((row) => [row.status, row.results, row.output_tok_s])).toEqual([
      ['retracted', 2, 150],
    ]);
    await refreshAll('delete from results');
    expect(await statisticsRows()).toEqual([]);
  });

  test('of no points need nothing', async () => {
    await database.db.transaction((tx) => refreshPointStatistics(tx, []));
    expect(await statisticsRows()).toEqual([]);
  });
});

// Readers refuse such figures; should one get through, its sums must not turn what is stored into nothing.
test('figures near the end of what a double holds keep their mean', async () => {
  await insert(resultsOf([{}, {}]).map((result) => ({ ...result, metrics: { output_tok_s: 1.5e308 } })));
  const [row] = await statisticsRows();
  expect(row?.statistics.output_tok_s?.mean).toBe(1.5e308);
  expect(row?.output_tok_s).toBe(1.5e308);
});

describe('at the same time', () => {
  const shuffled = <T>(values: T[], seed: number): T[] =>
    values
      .map((value, index) => [((index + 1) * 7919 * (seed + 1)) % 101, value] as const)
      .sort(([a], [b]) => a - b)
      .map(([, value]) => value);

  // Deadlocks would fail uploads at random; a lost result would leave a point's statistics wrong for ever.
  test.each([1, 2, 3])(
    'twenty uploads to the same new points all land, and every point counts them (round %d)',
    async (round) => {
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
    },
  );

  test('the same upload ten times is one submission, and all ten learn its id', async () => {
    const input = submissionOf(resultsOf([{}, { level: 16 }]));
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => insertSubmission(database.db, input)));
    expect(new Set(outcomes.map((outcome) => outcome.id)).size).toBe(1);
    expect(outcomes.filter((outcome) => !outcome.duplicate)).toHaveLength(1);
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 2 });
  });

  test('one that fails does not take its twin along', async () => {
    const input = submissionOf(resultsOf([{}]));
    const spoilt = {
      ...input,
      results: input.results.map((result) => ({ ...result, status: 'nonsense' as 'accepted' })),
    };
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

describe('a transaction that others made fail', () => {
  const failing = (times: number, code: string) => {
    let attempts = 0;
    const db = {
      transaction: (work: Parameters<Database['db']['transaction']>[0]) =>
        database.db.transaction(async (tx) => {
          const stored = await work(tx);
          attempts += 1;
          if (attempts <= times) throw new Error('query failed', { cause: Object.assign(new Error(code), { code }) });
          return stored;
        }),
    } as unknown as Database['db'];
    return { db, attempts: () => attempts };
  };

  test.each(['40P01', '40001'])('by %s is tried three times more', async (code) => {
    const { db, attempts } = failing(3, code);
    expect(await insertSubmission(db, submissionOf(resultsOf([{}])))).toMatchObject({ duplicate: false });
    expect(attempts()).toBe(4);
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 1, point_statistics: 1 });
  });

  test('again and again is given up', async () => {
    const { db, attempts } = failing(9, '40P01');
    await expect(insertSubmission(db, submissionOf(resultsOf([{}])))).rejects.toThrow();
    expect(attempts()).toBe(4);
    expect(await rowCounts()).toMatchObject({ submissions: 0, results: 0 });
  });

  test('for another reason is not tried again', async () => {
    const { db, attempts } = failing(1, '57014');
    await expect(insertSubmission(db, submissionOf(resultsOf([{}])))).rejects.toThrow();
    expect(attempts()).toBe(1);
  });
});
