import { setTimeout as sleep } from 'node:timers/promises';
import { loadKey } from '@inferboard/core/load';
import { metricNames } from '@inferboard/core/metrics/index';
import type { CheckedResult, ResultStatus } from '@inferboard/core/result';
import { and, eq, sql } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import type { Database } from '../client.ts';
import { isConflict } from '../errors.ts';
import { createId } from '../ids.ts';
import { toContribution } from '../point-statistics/standing.ts';
import { type Row, toResultRow, toScenarioRow, toSystemRow } from '../rows.ts';
import { artifacts, submissions } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { copiedFinding, type FirstResult, findFirstResults, placeKey } from './first-result-find.ts';
import { type Addition, addToPointStatistics } from './point-statistics-refresh.ts';

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
  'copy_of',
  'trust',
  'origin',
  'tool',
  'tool_version',
  'repetition',
  'definitions',
  'derived',
  'repeats',
  'limits',
  'certificates',
  'extra',
  'passed',
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

interface ScenarioFacts {
  id: string;
  key: string;
}

/** Finds or creates scenarios; answers their ids by key. */
async function upsertScenarios(tx: Transaction, rows: (Row & { key: string })[]): Promise<Map<string, number>> {
  const distinct = distinctBy(rows, (row) => row.key);
  const found = await insertRows<ScenarioFacts>(tx, 'scenarios', scenarioColumns, distinct, {
    onConflictDoNothing: true,
    returning: ['id', 'key'],
  });
  if (found.length < distinct.length) {
    const keys = JSON.stringify(distinct.map((row) => row.key));
    const known = await tx.execute(
      sql`select id, key from scenarios where key in (select jsonb_array_elements_text(${keys}::jsonb))`,
    );
    found.push(...(known as unknown as ScenarioFacts[]));
  }
  return new Map(found.map((row) => [row.key, Number(row.id)]));
}

interface PointFacts {
  system_id: string;
  scenario_id: number;
  kind: string;
  load_key: string;
}
type StoredPoint = PointFacts & { id: string };
const pointKey = (point: PointFacts) =>
  JSON.stringify([point.system_id, Number(point.scenario_id), point.kind, point.load_key]);

async function selectPoints(tx: Transaction, wanted: PointFacts[]): Promise<StoredPoint[]> {
  const facts = wanted.map(({ system_id, scenario_id, kind, load_key }) => ({
    system_id,
    scenario_id,
    kind,
    load_key,
  }));
  return (await tx.execute(sql`
    select p.id, p.system_id, p.scenario_id, p.kind, p.load_key
    from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
      as w(system_id text, scenario_id bigint, kind text, load_key text)
    join points p using (system_id, scenario_id, kind, load_key)`)) as unknown as StoredPoint[];
}

/** The rows of all systems; the same system is worked out once. */
function toSystemRows(results: CheckedResult[]) {
  const bySystem = new Map<string, ReturnType<typeof toSystemRow>>();
  return results.map(({ system }) => {
    // Names as written, too: the last spelling is the one stored.
    const facts = JSON.stringify(system);
    const row = bySystem.get(facts) ?? toSystemRow(system);
    bySystem.set(facts, row);
    return row;
  });
}

/** Finds or creates the point of every result; `ids` are in the order of the results, `created` those that are new. */
async function upsertPoints(
  tx: Transaction,
  results: CheckedResult[],
): Promise<{ ids: number[]; created: Set<number> }> {
  const systems = toSystemRows(results);
  await insertRows(
    tx,
    'systems',
    systemColumns,
    distinctBy(systems, (row) => row.id),
    { onConflictDoNothing: true },
  );
  const scenarios = results.map((result) => toScenarioRow(result.scenario));
  const scenarioIds = await upsertScenarios(tx, scenarios);
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
  const keys = points.map(pointKey);
  const distinct = new Map(points.map((point, index) => [keys[index] ?? '', point]));
  const sorted = [...distinct.keys()].sort().flatMap((key) => distinct.get(key) ?? []);
  const created = await insertRows<StoredPoint>(tx, 'points', pointColumns, sorted, {
    onConflictDoNothing: true,
    returning: ['id', 'system_id', 'scenario_id', 'kind', 'load_key'],
  });
  const known = new Set(created.map(pointKey));
  const missing = [...distinct].filter(([key]) => !known.has(key)).map(([, point]) => point);
  const found = missing.length > 0 ? await selectPoints(tx, missing) : [];
  const ids = new Map([...created, ...found].map((row) => [pointKey(row), Number(row.id)]));
  return { ids: keys.map((key) => ids.get(key) ?? -1), created: new Set(created.map(({ id }) => Number(id))) };
}

/** Stores results and findings; answers them by point and status, as the statistics take them in. */
async function insertResults(
  tx: Transaction,
  submissionId: string,
  results: CheckedResult[],
  pointIds: number[],
  firsts: ReadonlyMap<string, FirstResult>,
): Promise<Addition[]> {
  const additions = new Map<string, Addition>();
  const rows: Row[] = [];
  const findings: Row[] = [];
  for (const [ordinal, result] of results.entries()) {
    const pointId = pointIds[ordinal] ?? -1;
    const first = firsts.get(placeKey(ordinal, pointId));
    const remarked = first === undefined ? result : { ...result, findings: [...result.findings, copiedFinding(first)] };
    const stored = toResultRow(remarked, { submissionId, ordinal, pointId, copyOf: first?.id ?? null });
    rows.push(stored.row);
    findings.push(...stored.findings);
    if (first !== undefined) continue;
    const key = `${pointId} ${result.status}`;
    const addition = additions.get(key) ?? { results: [], findings: 0, warnings: 0 };
    additions.set(key, addition);
    addition.results.push(toContribution(result, { id: stored.row.id, pointId }));
    addition.findings += stored.findings.length;
    addition.warnings += stored.findings.filter((finding) => finding.severity !== 'info').length;
  }
  await insertRows(tx, 'results', resultColumns, rows);
  await insertRows(tx, 'findings', findingColumns, findings);
  return [...additions.values()];
}

async function storeSubmission(tx: Transaction, input: NewSubmission): Promise<{ id: string; duplicate: boolean }> {
  const { sha256, bytes, mediaType } = input.artifact;
  const id = createId('sub');
  const fresh = await tx
    .insert(artifacts)
    .values({ sha256, bytes, size: bytes.length, mediaType })
    .onConflictDoNothing()
    .returning({ sha256: artifacts.sha256 });
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
  const { ids, created } = await upsertPoints(tx, input.results);
  const firsts =
    fresh.length > 0
      ? new Map<string, FirstResult>()
      : await findFirstResults(tx, { sha256, accountId: input.accountId, submissionId: id });
  const additions = await insertResults(tx, id, input.results, ids, firsts);
  await addToPointStatistics(tx, id, additions, created);
  return { id, duplicate: false };
}

/** How often a transaction is tried again that others made fail. */
const retriesMax = 3;

/**
 * Stores an upload with its bytes, results, findings and the statistics of every point it touches in one transaction:
 * all of it is there after the commit, or none. The same bytes and metadata from the same account are stored once;
 * `duplicate` then says so and `id` is the first one's.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
): Promise<{ id: string; duplicate: boolean }> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await db.transaction((tx) => storeSubmission(tx, input));
    } catch (error) {
      if (attempt === retriesMax || !isConflict(error)) throw error;
      await sleep(20 * 2 ** attempt * (0.5 + Math.random()));
    }
  }
}
