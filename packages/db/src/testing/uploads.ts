import { createHash, randomUUID } from 'node:crypto';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { readSubmission } from '@inferboard/core/submission/read-submission';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { insertAccount } from '../accounts/account.ts';
import type { PointStatisticsRow } from '../boards/lists/row-types.ts';
import { createDatabase, type Database } from '../connection/client.ts';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import { refreshPointStatistics } from '../points/point-statistics-refresh.ts';
import { insertSubmission, type NewSubmission } from '../submissions/submission-insert.ts';
import { useTestDatabase } from './index.ts';

// Uploads for tests of storing.

export interface Measurement {
  level?: number;
  metrics?: Record<string, number>;
  definitions?: Record<string, string>;
  repeats?: unknown;
}

/** Converts measurements to results as an upload has them: read, derived and checked. */
export function resultsOf(measurements: Measurement[], system: Record<string, unknown> = {}): CheckedResult[] {
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

/** The tables that boards read, which are derived from the others. */
const derivedTables = [
  'boards',
  'board_rows',
  'board_figures',
  'board_systems',
  'board_points',
  'board_totals',
  'tool_scatter',
];
const tables = ['results', 'point_statistics', 'points', 'scenarios', 'systems', 'submissions', 'artifacts'];

/** Provides a database that contains only an account before each test, and helpers for upload tests. Call once per test file. */
export function useUploads() {
  const testDatabase = useTestDatabase();
  let database: Database;
  let accountId: string;

  beforeAll(() => {
    database = createDatabase(testDatabase.url, { poolSize: 20 });
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.sql.unsafe(`truncate ${[...tables, ...derivedTables].join(', ')} cascade`);
    accountId = (await insertAccount(database.db, `account ${randomUUID()}`))?.id ?? '';
  });

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
      select to_jsonb(t) - 'summed_by' || jsonb_build_object('load_level', p.load_level) as row
      from point_statistics t join points p on p.id = t.point_id
      order by p.load_level, t.status, t.variant`;
    return rows.map(({ row }) => unpackRow(row));
  }

  /** Applies a change and recomputes all statistics from the stored results. */
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

  return {
    /** The connection, available from the first test on. */
    database: () => database,
    /** Its URL, for other connections. */
    url: () => testDatabase.url,
    /** Id of the account that submits in the current test. */
    accountId: () => accountId,
    ...{ submissionOf, insert, rowCounts, statisticsRows, refreshAll },
  };
}
