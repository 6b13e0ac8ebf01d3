import { unspecifiedLoad } from '@inferboard/core/subjects/load';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { describe, expect, test } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import type { Database } from '../connection/client.ts';
import { resultsOf, useUploads } from '../testing/uploads.ts';
import { findArtifactOfSubmission } from './artifact-find.ts';
import { listResultsBySubmission } from './result-list.ts';
import { findSubmission, findSubmissionByFingerprint } from './submission-find.ts';
import { insertSubmission } from './submission-insert.ts';

const { database, accountId, submissionOf, insert, rowCounts, statisticsRows } = useUploads();

describe('an upload', () => {
  test('is stored with its bytes, parameters, results and findings', async () => {
    const results = resultsOf([{ metrics: { req_s: 9.5, requests_ok: 100, duration_s: 20.5 } }, { level: 16 }]);
    const input = submissionOf(results);
    const { id, duplicate } = await insertSubmission(database().db, input);
    expect(duplicate).toBe(false);
    expect(id).toMatch(/^sub_[0-9a-f]{32}$/);
    expect(await findSubmission(database().db, id)).toMatchObject({
      id,
      account_id: accountId(),
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
    expect(Buffer.from((await findArtifactOfSubmission(database().db, id))?.bytes ?? [])).toEqual(
      Buffer.from(input.artifact.stored.bytes),
    );
    const rows = await listResultsBySubmission(database().db, id);
    expect(rows.map((row) => [row.ordinal, row.load_level, row.status])).toEqual([
      [0, 8, 'quarantined'],
      [1, 16, 'accepted'],
    ]);
    expect(rows[0]?.findings.map((finding) => finding.code)).toEqual(['request_rate_contradicts']);
    expect(rows[0]?.unchecked.map(([check]) => check)).toContain('A11');
    expect(rows[1]).toMatchObject({ output_tok_s: 100, output_tok_s_per_gpu: 100, ttft_ms_mean: null });
    expect(rows[1]?.derived.sort()).toEqual(['output_tok_s_per_gpu', 'tok_per_joule']);
  });

  test('is stored once per account, and its bytes once for all', async () => {
    const input = submissionOf(resultsOf([{}]));
    const first = await insertSubmission(database().db, input);
    expect(await insertSubmission(database().db, input)).toEqual({ id: first.id, duplicate: true, row: null });
    expect(await findSubmissionByFingerprint(database().db, accountId(), input.fingerprint)).toBe(first.id);
    const other = (await insertAccount(database().db, 'another'))?.id ?? '';
    expect(await insertSubmission(database().db, { ...input, accountId: other })).toMatchObject({ duplicate: false });
    expect(await rowCounts()).toMatchObject({ submissions: 2, results: 2, artifacts: 1, points: 1, systems: 1 });
  });

  // Console blocks without the command line. Their results are repetitions of one point.
  test('with an unspecified load is stored at a point without a level', async () => {
    const unspecified = resultsOf([{}, {}]).map((result) => ({ ...result, load: unspecifiedLoad }));
    const { id } = await insert([...unspecified, ...resultsOf([{ level: 1 }])]);
    const rows = await listResultsBySubmission(database().db, id);
    expect(rows.map((row) => [row.load_mode, row.load_level])).toEqual([
      ['unspecified', null],
      ['unspecified', null],
      ['concurrency', 1],
    ]);
    expect((await statisticsRows()).map((row) => row.results)).toEqual([1, 2]);
  });

  test('with thousands of results is stored completely and in order', async () => {
    const results = resultsOf(Array.from({ length: 4100 }, (_, index) => ({ level: 1 + (index % 7) })));
    const { id } = await insert(results);
    const rows = await listResultsBySubmission(database().db, id);
    expect(rows.map((row) => row.ordinal)).toEqual(results.map((_, index) => index));
    expect(rows.map((row) => row.load_level)).toEqual(results.map((result) => result.load.level));
    expect((await statisticsRows()).reduce((sum, row) => sum + row.results, 0)).toBe(4100);
  });
});

// An acknowledged submission is stored; a failed one leaves no visible data.

describe('nothing of an upload is stored', () => {
  const spoil: [string, (result: CheckedResult) => CheckedResult][] = [
    ['an unknown kind', (result) => ({ ...result, kind: 'nonsense' as 'serving' })],
    ['an unknown load mode', (result) => ({ ...result, load: { mode: 'nonsense' as 'rate', level: 1 } })],
    ['an unknown status', (result) => ({ ...result, status: 'nonsense' as 'accepted' })],
    ['a count above the range of its column', (result) => ({ ...result, repetition: 2 ** 31 })],
    ['a level for an unspecified load', (result) => ({ ...result, load: { mode: 'unspecified', level: 1 } as never })],
    ['a time in the year 0', (result) => ({ ...result, measuredAt: '0000-01-01T00:00:00.000Z' })],
    ['an invalid time', (result) => ({ ...result, measuredAt: 'yesteryear' })],
  ];

  test.each(spoil)('with %s in the last of three results', async (_, change) => {
    const results = resultsOf([{ level: 1 }, { level: 2 }, { level: 4 }]);
    await insert(resultsOf([{ level: 1 }]));
    const before = await rowCounts();
    const statistics = await statisticsRows();
    const spoilt = results.map((result, index) => (index === 2 ? change(result) : result));
    await expect(insert(spoilt)).rejects.toThrow();
    expect(await rowCounts()).toEqual(before);
    expect(await statisticsRows()).toEqual(statistics);
    // A corrected upload is not a duplicate of the failed one.
    expect(await insert(results)).toMatchObject({ duplicate: false });
  });

  test('for an account that does not exist', async () => {
    await expect(insert(resultsOf([{}]), { accountId: 'acc_none' })).rejects.toThrow();
    expect(Object.values(await rowCounts()).every((n) => n === 0)).toBe(true);
  });
});

describe('a transaction that fails because of others', () => {
  const failing = (times: number, code: string) => {
    let attempts = 0;
    const db = {
      transaction: (work: Parameters<Database['db']['transaction']>[0]) =>
        database().db.transaction(async (tx) => {
          const stored = await work(tx);
          attempts += 1;
          if (attempts <= times) throw new Error('query failed', { cause: Object.assign(new Error(code), { code }) });
          return stored;
        }),
    } as unknown as Database['db'];
    return { db, attempts: () => attempts };
  };

  test.each(['40P01', '40001'])('with %s is retried three times', async (code) => {
    const { db, attempts } = failing(3, code);
    expect(await insertSubmission(db, submissionOf(resultsOf([{}])))).toMatchObject({ duplicate: false });
    expect(attempts()).toBe(4);
    expect(await rowCounts()).toMatchObject({ submissions: 1, results: 1, point_statistics: 1 });
  });

  test('is not retried a fourth time', async () => {
    const { db, attempts } = failing(9, '40P01');
    await expect(insertSubmission(db, submissionOf(resultsOf([{}])))).rejects.toThrow();
    expect(attempts()).toBe(4);
    expect(await rowCounts()).toMatchObject({ submissions: 0, results: 0 });
  });

  test('for another reason is not retried', async () => {
    const { db, attempts } = failing(1, '57014');
    await expect(insertSubmission(db, submissionOf(resultsOf([{}])))).rejects.toThrow();
    expect(attempts()).toBe(1);
  });
});
