import { loadKey } from '@inferboard/core/load';
import type { Result } from '@inferboard/core/result';
import type { System } from '@inferboard/core/system';
import { workloadOf } from '@inferboard/core/workloads/workload';
import { sql } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import { type Row, toScenarioRow, toSystemRow } from '../rows.ts';
import { points, scenarios, systems } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import type { LoadColumns } from './row-types.ts';

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
  const found = await insertRows<ScenarioFacts>(tx, scenarios, distinct, {
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
function toSystemRows(results: Result[]) {
  const byFacts = new Map<string, ReturnType<typeof toSystemRow>>();
  // Most results share the object.
  const bySystem = new Map<System, ReturnType<typeof toSystemRow>>();
  return results.map(({ system }) => {
    const known = bySystem.get(system);
    if (known !== undefined) return known;
    // Names as written, too: the last spelling is the one stored.
    const facts = JSON.stringify(system);
    const row = byFacts.get(facts) ?? toSystemRow(system);
    byFacts.set(facts, row);
    bySystem.set(system, row);
    return row;
  });
}

/** Where a result stands: its point, and the facts that make one. */
export interface Place extends LoadColumns {
  id: number;
  system_id: string;
  scenario_id: number;
}

/** Finds or creates the point of every result; `places` are in the order of the results, `created` those that are new. */
export async function upsertPoints(
  tx: Transaction,
  results: Result[],
): Promise<{ places: Place[]; created: Set<number> }> {
  const rows = toSystemRows(results);
  await insertRows(
    tx,
    systems,
    distinctBy(rows, (row) => row.id),
    { onConflictDoNothing: true },
  );
  const scenarioRows = results.map((result) => toScenarioRow(result.scenario));
  const scenarioIds = await upsertScenarios(tx, scenarioRows);
  const pointRows = results.map((result, index) => {
    const { mode, level, ...detail } = result.load;
    const workload = workloadOf(result);
    return {
      system_id: rows[index]?.id ?? '',
      scenario_id: scenarioIds.get(scenarioRows[index]?.key ?? '') ?? -1,
      kind: result.kind,
      load_mode: mode,
      load_level: level,
      load_detail: detail,
      load_key: loadKey(result.load),
      workload: workload.id,
      regime: workload.regime,
    };
  });
  const keys = pointRows.map(pointKey);
  const distinct = new Map(pointRows.map((point, index) => [keys[index] ?? '', point]));
  const sorted = [...distinct.keys()].sort().flatMap((key) => distinct.get(key) ?? []);
  const created = await insertRows<StoredPoint>(tx, points, sorted, {
    onConflictDoNothing: true,
    returning: ['id', 'system_id', 'scenario_id', 'kind', 'load_key'],
  });
  const known = new Set(created.map(pointKey));
  const missing = [...distinct].filter(([key]) => !known.has(key)).map(([, point]) => point);
  const found = missing.length > 0 ? await selectPoints(tx, missing) : [];
  const ids = new Map([...created, ...found].map((row) => [pointKey(row), Number(row.id)]));
  const places = pointRows.map(({ load_key: _, workload: _w, regime: _r, ...point }, index) => ({
    ...point,
    id: ids.get(keys[index] ?? '') ?? -1,
  }));
  return { places, created: new Set(created.map(({ id }) => Number(id))) };
}
