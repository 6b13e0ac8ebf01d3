import { createHash, randomUUID } from 'node:crypto';
import { type Filters, noFilters } from '@inferboard/core/filters/filters';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { insertAccount } from '../accounts/account.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { listResults, listResultsBySubmission } from '../submissions/result-list.ts';
import { listSubmissions } from '../submissions/submission-find.ts';
import { insertSubmission } from '../submissions/submission-insert.ts';
import { useTestDatabase } from '../testing/index.ts';
import { findSystem, listSystems } from './system-find.ts';

const testDatabase = useTestDatabase();
let database: Database;
let accountId: string;
const accountName = 'Submitter';

beforeAll(async () => {
  database = createDatabase(testDatabase.url, { poolSize: 8 });
  accountId = (await insertAccount(database.db, accountName))?.id ?? '';
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate results, point_statistics, boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, points, scenarios, systems, submissions, artifacts cascade`;
});

interface Facts {
  system?: Record<string, unknown>;
  levels?: number[];
  status?: CheckedResult['status'];
  account?: string;
}

async function insert({ system, levels = [8], status, account }: Facts = {}): Promise<string> {
  const report = {
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, ...system },
    scenario: 'chatbot',
    results: levels.map((level) => ({ load: { mode: 'concurrency', level }, metrics: { output_tok_s: 100 * level } })),
  };
  const { results } = readSubmission(new TextEncoder().encode(JSON.stringify(report)), {});
  const bytes = new TextEncoder().encode(randomUUID());
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { id } = await insertSubmission(database.db, {
    accountId: account ?? accountId,
    artifact: { sha256, size: bytes.length, stored: { bytes, packing: null }, mediaType: 'text/plain' },
    fingerprint: sha256,
    tool: { name: 'native', version: null },
    parameters: {},
    ignored: [],
    notes: null,
    sourceUrl: null,
    status: 'accepted',
    results: status === undefined ? results : results.map((result) => ({ ...result, status })),
  });
  return id;
}

const schema = z.strictObject({ ...filterShape, ...originShape, ...boundShape });
const filtersOf = (given: Record<string, unknown>): Filters => toFilters(schema.parse(given));
const found = async (given: Record<string, unknown>) =>
  (await listResults(database.db, { filters: filtersOf(given), limit: 200, after: null })).length;

/** Reads every page of a list and runs an action between pages. */
async function walk<T, A>(
  page: (after: A | null) => Promise<T[]>,
  next: (last: T) => A,
  between: () => Promise<unknown>,
): Promise<T[]> {
  const all: T[] = [];
  let after: A | null = null;
  for (let pages = 0; pages < 100; pages++) {
    const rows: T[] = await page(after);
    const last = rows.at(-1);
    if (last === undefined) return all;
    all.push(...rows);
    after = next(last);
    await between();
  }
  throw new Error('the list has no end');
}

describe('pages', () => {
  test('of results are complete and without duplicates while others are stored', async () => {
    for (let upload = 0; upload < 5; upload++) await insert({ levels: [1, 2, 4, 8, 16] });
    const before = await listResults(database.db, { filters: noFilters, limit: 200, after: null });
    expect(before).toHaveLength(25);
    expect(before.map((row) => row.id)).toEqual(
      before
        .map((row) => row.id)
        .toSorted()
        .toReversed(),
    );
    const walked = await walk(
      (after: string | null) => listResults(database.db, { filters: noFilters, limit: 4, after }),
      (last) => last.id,
      () => Promise.all([insert({ levels: [1, 2] }), insert({ levels: [32] })]),
    );
    expect(walked.map((row) => row.id)).toEqual(before.map((row) => row.id));
  });

  test('of systems are complete and without duplicates while others are stored', async () => {
    const engines = ['vllm', 'VLLM', 'sglang', 'Äpfel', 'zebra', 'Zebra 2', 'a b', 'a-b', 'ab', 'été', '模型'];
    for (const name of engines) await insert({ system: { engine: { name, version: '1' } } });
    // Results with an unknown engine are held.
    const filters = { ...noFilters, include: ['quarantined' as const] };
    const before = await listSystems(database.db, { filters, limit: 200, after: null });
    // Two spellings of vLLM are one system.
    expect(before).toHaveLength(engines.length - 1);
    let added = 0;
    const walked = await walk(
      (after: { label: string; id: string } | null) => listSystems(database.db, { filters, limit: 2, after }),
      ({ label, id }) => ({ label, id }),
      () => insert({ system: { engine: { name: `new ${added++}`, version: null } } }),
    );
    const ids = walked.map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const old = new Set(before.map((row) => row.id));
    expect(ids.filter((id) => old.has(id))).toEqual(before.map((row) => row.id));
  });

  test('of submissions are complete and without duplicates while others are stored', async () => {
    for (let upload = 0; upload < 9; upload++) await insert();
    const question = { account: null, status: null };
    const before = await listSubmissions(database.db, { ...question, limit: 200, after: null });
    const walked = await walk(
      (after: string | null) => listSubmissions(database.db, { ...question, limit: 2, after }),
      (last) => last.id,
      () => insert(),
    );
    expect(before).toHaveLength(9);
    expect(walked.map((row) => row.id)).toEqual(before.map((row) => row.id));
  });

  test('contain all rows with the same label', async () => {
    for (const prefix_caching of [true, false]) await insert({ system: { features: { prefix_caching } } });
    const rows = await walk(
      (after: { label: string; id: string } | null) =>
        listSystems(database.db, { filters: noFilters, limit: 1, after }),
      ({ label, id }) => ({ label, id }),
      async () => {},
    );
    expect(new Set(rows.map((row) => row.label)).size).toBe(1);
    expect(new Set(rows.map((row) => row.id)).size).toBe(2);
  });
});

describe('filters', () => {
  beforeEach(async () => {
    await insert({
      system: { gpu: 'NVIDIA H100 80GB HBM3', engine: { name: 'vllm', version: '0.11.0' } },
      levels: [1, 8],
    });
    await insert({ system: { gpu: 'H100', quantization: 'w8a8_smooth_gptq' } });
    await insert({ system: { gpu: '2x RTX 4090', gpu_count: null, quantization: 'w8a8_awq' } });
    await insert({ system: { gpu: 'Frobnicator 9000', gpu_power_limit_w: 450 } });
    await insert({ system: { gpu: 'unspecified', gpu_count: null, model: 'llama-3.1-70b', quantization: 'w8a8' } });
  });

  test('on submissions select their results, together with other filters', async () => {
    const all = await listResults(database.db, { filters: noFilters, limit: 50, after: null });
    const ids = [...new Set(all.map((row) => row.submission_id))];
    const [one = '', other = ''] = ids;
    const of = async (query: Record<string, unknown>) =>
      (await listResults(database.db, { filters: filtersOf(query), limit: 50, after: null })).map((row) => row.id);
    const ofUpload = (id: string) => all.filter((row) => row.submission_id === id).map((row) => row.id);
    for (const id of ids) expect(await of({ submission: id })).toEqual(ofUpload(id));
    expect((await of({ submission: [one, other] })).toSorted()).toEqual(
      [...ofUpload(one), ...ofUpload(other)].toSorted(),
    );
    expect(await of({ submission: ids, gpu: 'rtx-4090' })).toEqual(await of({ gpu: 'rtx-4090' }));
    expect(await of({ submission: ids, account: 'nobody' })).toEqual([]);
    expect(await of({ submission: 'sub_nobody' })).toEqual([]);
  });

  // Five uploads, six results, one of them quarantined for its unknown GPU.
  test.each<[Record<string, unknown>, number]>([
    [{}, 5],
    [{ gpu: 'h100' }, 3],
    [{ gpu: 'h100-sxm' }, 2],
    [{ gpu: 'NVIDIA H100 80GB HBM3' }, 2],
    [{ gpu: 'rtx-4090' }, 1],
    [{ gpu: ['rtx-4090', 'h100'] }, 4],
    [{ gpu: 'unspecified' }, 1],
    [{ gpu: 'frobnicator  9000' }, 0],
    [{ gpu: 'frobnicator  9000', include: 'quarantined' }, 1],
    [{ include: ['quarantined', 'retracted'] }, 6],
    [{ model: 'llama-3.1-8b' }, 4],
    [{ model: 'llama3.1' }, 5],
    [{ model_family: 'llama-3.1' }, 5],
    [{ model: 'qwen3-8b' }, 0],
    [{ quantization: 'w8a8' }, 3],
    [{ quantization: 'w8a8_smooth_gptq' }, 1],
    [{ quantization: 'w8a8_gptq_smooth' }, 1],
    [{ quantization: 'w8a8_gptq' }, 0],
    [{ gpu_count: '2' }, 1],
    [{ gpu_power_limit_w: '450', include: 'quarantined' }, 1],
    [{ engine: 'vLLM' }, 2],
    [{ engine_version: '0.11.0' }, 2],
    [{ scenario: 'chatbot' }, 5],
    [{ scenario: 'rag' }, 0],
    [{ load_mode: 'concurrency' }, 5],
    [{ load_mode: ['burst', 'rate'] }, 0],
    [{ load_mode: 'unspecified' }, 0],
    [{ load_level: '1' }, 1],
    [{ min_load_level: '2' }, 4],
    [{ max_load_level: '2' }, 1],
    [{ min_output_tok_s: '800' }, 4],
    [{ max_output_tok_s: '100' }, 1],
    [{ min_ttft_ms: '0' }, 0],
    [{ trust: 'self_reported' }, 5],
    [{ trust: 'managed' }, 0],
    [{ tool: 'native' }, 5],
    [{ account: 'Submitter' }, 5],
    // Account names match without regard to case.
    [{ account: 'submitter' }, 5],
    [{ account: 'nobody' }, 0],
    [{ since: '2020-01-01T00:00:00Z' }, 5],
    [{ since: '2099-01-01T00:00:00Z' }, 0],
    [{ until: '2020-01-01T00:00:00Z' }, 0],
  ])('%j: %d results', async (given, expected) => {
    expect(await found(given)).toBe(expected);
  });

  test('select the same systems in the list and on the page of a system', async () => {
    for (const given of [{ gpu: 'h100' }, { load_level: '1' }, { account: accountId }, { min_output_tok_s: '800' }]) {
      const filters = filtersOf(given);
      const results = await listResults(database.db, { filters, limit: 200, after: null });
      const systems = await listSystems(database.db, { filters, limit: 200, after: null });
      expect(new Set(systems.map((system) => system.id))).toEqual(new Set(results.map((row) => row.system.id)));
      for (const { id, points } of systems) {
        const page = await findSystem(database.db, id, filters);
        expect(page?.points).toHaveLength(points);
        expect(page?.points.length).toBe(results.filter((row) => row.system.id === id).length);
      }
    }
  });

  test('do not find an unknown system', async () => {
    expect(await findSystem(database.db, 'sys_none', noFilters)).toBeNull();
  });
});

test('returns a result as it was stored', async () => {
  const id = await insert({ levels: [8] });
  const [row, ...more] = await listResultsBySubmission(database.db, id);
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    submission_id: id,
    kind: 'serving',
    load_mode: 'concurrency',
    load_level: 8,
    trust: 'self_reported',
    origin: 'submitted',
    system: { model_id: 'llama-3.1-8b', gpu_id: 'h100-sxm', gpu_count: 1 },
    scenario: { name: 'chatbot', input_tokens: 1024, output_tokens: 256 },
    output_tok_s: 800,
    itl_ms_mean: null,
  });
});

// Every query returns a result or a stated error, never an internal error.
describe('no accepted filter causes a database error', () => {
  const hostile = [
    '\u0000',
    'a\u0000b',
    '\ud800',
    "'; drop table results; --",
    '%',
    '\\',
    '{}',
    '[]',
    'null',
    '9'.repeat(15),
    '-1',
    '1e99',
    '0.000000000001',
    '999999999',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-01-01T00:00:00+23:59',
    '2026-01-01T00:00:00-15:59',
    `2026-01-01T00:00:00.${'1'.repeat(300)}Z`,
    'x'.repeat(200),
    '𝔏𝔩𝔞𝔪𝔞',
  ];

  test.each([...Object.keys(filterShape), 'max_itl_ms', 'min_output_tok_s'])('%s', async (parameter) => {
    const failed: string[] = [];
    for (const value of hostile) {
      const parsed = schema.safeParse({ [parameter]: value });
      if (!parsed.success) continue;
      const filters = toFilters(parsed.data);
      try {
        await listResults(database.db, { filters, limit: 2, after: null });
        await listSystems(database.db, { filters, limit: 2, after: null });
      } catch (error) {
        const cause = error instanceof Error ? (error.cause ?? error) : error;
        failed.push(`${JSON.stringify(value.slice(0, 40))}: ${String(cause)}`);
      }
    }
    expect(failed).toEqual([]);
  });
});
