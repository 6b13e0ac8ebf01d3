import { metricNames } from '@inferboard/core/metrics/index';
import type { CheckedResult, ResultStatus } from '@inferboard/core/result';
import { and, eq, sql } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import type { Database } from '../client.ts';
import { createId } from '../ids.ts';
import { loadKey, toResultRow, toScenarioRow, toSystemRow } from '../rows.ts';
import { artifacts, submissions } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { refreshPointStatistics } from './point-statistics-refresh.ts';

/** Everything that one upload stores. */
export interface NewSubmission {
  accountId: string;
  artifact: { sha256: string; bytes: Uint8Array; mediaType: string };
  /** SHA-256 over bytes and metadata. */
  fingerprint: string;
  tool: { name: string; version: string | null };
  parameters: Record<string, unknown>;
  ignored: string[];
  notes: string | null;
  sourceUrl: string | null;
  status: ResultStatus;
  results: CheckedResult[];
}

const systemColumns = [
  'id',
  'label',
  'model_id',
  'model_family',
  'model_name',
  'model_key',
  'quantization_id',
  'quantization_name',
  'quantization_key',
  'quantization_recipe',
  'gpu_id',
  'gpu_family',
  'gpu_name',
  'gpu_key',
  'gpu_count',
  'gpu_power_limit_w',
  'engine_id',
  'engine_name',
  'engine_key',
  'engine_version',
  'parallelism',
  'features',
];
const scenarioColumns = ['key', 'name', 'input_tokens', 'output_tokens', 'dataset', 'depth', 'kernel'];
const pointColumns = ['system_id', 'scenario_id', 'kind', 'load_mode', 'load_level', 'load_detail', 'load_key'];
const resultColumns = [
  'id',
  'submission_id',
  'ordinal',
  'point_id',
  'status',
  'trust',
  'origin',
  'tool',
  'tool_version',
  'repetition',
  'definitions',
  'definition_set',
  'derived',
  'repeats',
  'extra',
  'unchecked',
  'line_from',
  'line_to',
  'measured_at',
  ...metricNames,
];
const findingColumns = ['result_id', 'ordinal', 'code', 'severity', 'message', 'evidence'];

/** Distinct rows in the order of their key, so that two transactions take the same locks in the same order. */
function distinctBy<T>(rows: T[], key: (row: T) => string): T[] {
  const byKey = new Map(rows.map((row) => [key(row), row]));
  return [...byKey.keys()].sort().flatMap((k) => byKey.get(k) ?? []);
}

async function selectScenarioIds(tx: Transaction, keys: string[]): Promise<Map<string, number>> {
  const rows = (await tx.execute(
    sql`select id, key from scenarios where key in (select jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb))`,
  )) as unknown as { id: string; key: string }[];
  return new Map(rows.map((row) => [row.key, Number(row.id)]));
}

interface PointFacts {
  system_id: string;
  scenario_id: number;
  kind: string;
  load_key: string;
}
const pointKey = (point: PointFacts) =>
  JSON.stringify([point.system_id, point.scenario_id, point.kind, point.load_key]);

async function selectPointIds(tx: Transaction, wanted: PointFacts[]): Promise<Map<string, number>> {
  const rows = (await tx.execute(sql`
    select p.id, p.system_id, p.scenario_id, p.kind, p.load_key
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as w(system_id text, scenario_id bigint, kind text, load_key text)
    join points p using (system_id, scenario_id, kind, load_key)`)) as unknown as (PointFacts & { id: string })[];
  return new Map(rows.map((row) => [pointKey({ ...row, scenario_id: Number(row.scenario_id) }), Number(row.id)]));
}

/** Finds or creates the point of every result; answers their ids in the order of the results. */
async function upsertPoints(tx: Transaction, results: CheckedResult[]): Promise<number[]> {
  const systems = results.map((result) => toSystemRow(result.system));
  const scenarios = results.map((result) => toScenarioRow(result.scenario));
  await insertRows(
    tx,
    'systems',
    systemColumns,
    distinctBy(systems, (row) => row.id),
    { onConflictDoNothing: true },
  );
  await insertRows(
    tx,
    'scenarios',
    scenarioColumns,
    distinctBy(scenarios, (row) => row.key),
    {
      onConflictDoNothing: true,
    },
  );
  const scenarioIds = await selectScenarioIds(tx, [...new Set(scenarios.map((row) => row.key))]);
  const points = results.map((result, index) => {
    const { mode, level, ...detail } = result.load;
    return {
      system_id: systems[index]?.id ?? '',
      scenario_id: scenarioIds.get(scenarios[index]?.key ?? '') ?? -1,
      kind: result.kind,
      load_mode: mode,
      load_level: level,
      load_detail: detail,
      load_key: loadKey(result.load),
    };
  });
  const distinct = distinctBy(points, pointKey);
  await insertRows(tx, 'points', pointColumns, distinct, { onConflictDoNothing: true });
  const ids = await selectPointIds(
    tx,
    distinct.map(({ system_id, scenario_id, kind, load_key }) => ({ system_id, scenario_id, kind, load_key })),
  );
  return points.map((point) => ids.get(pointKey(point)) ?? -1);
}

/**
 * Stores an upload with its bytes, results, findings and the statistics of every point it touches in one transaction:
 * all of it is there after the commit, or none. The same bytes and metadata from the same account are stored once;
 * `duplicate` then says so and `id` is the first one's.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
): Promise<{ id: string; duplicate: boolean }> {
  return db.transaction(async (tx) => {
    const { sha256, bytes, mediaType } = input.artifact;
    const id = createId('sub');
    await tx.insert(artifacts).values({ sha256, bytes, size: bytes.length, mediaType }).onConflictDoNothing();
    const inserted = await tx
      .insert(submissions)
      .values({
        id,
        accountId: input.accountId,
        artifactSha256: sha256,
        fingerprint: input.fingerprint,
        status: input.status,
        tool: input.tool.name,
        toolVersion: input.tool.version,
        parameters: input.parameters,
        ignored: input.ignored,
        notes: input.notes,
        sourceUrl: input.sourceUrl,
      })
      // Waits for a simultaneous twin to commit, and then gives way to it.
      .onConflictDoNothing()
      .returning({ id: submissions.id });
    if (inserted.length === 0) {
      const [first] = await tx
        .select({ id: submissions.id })
        .from(submissions)
        .where(and(eq(submissions.accountId, input.accountId), eq(submissions.fingerprint, input.fingerprint)));
      if (first === undefined) throw new Error('a conflicting submission vanished');
      return { id: first.id, duplicate: true };
    }
    const pointIds = await upsertPoints(tx, input.results);
    const rows = input.results.map((result, ordinal) =>
      toResultRow(result, { submissionId: id, ordinal, pointId: pointIds[ordinal] ?? -1 }),
    );
    await insertRows(
      tx,
      'results',
      resultColumns,
      rows.map(({ row }) => row),
    );
    await insertRows(
      tx,
      'findings',
      findingColumns,
      rows.flatMap(({ findings }) => findings),
    );
    await refreshPointStatistics(tx, pointIds);
    return { id, duplicate: false };
  });
}
