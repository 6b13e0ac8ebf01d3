import { loadKey } from '@inferboard/core/subjects/load';
import type { Result } from '@inferboard/core/subjects/result';
import type { System } from '@inferboard/core/subjects/system';
import { workloadOf } from '@inferboard/core/workloads/workload';
import { sql } from 'drizzle-orm';
import type { LoadColumns, ResultRow, ScenarioRow, SystemRow } from '../boards/lists/row-types.ts';
import { toScenarioRow, toSystemRow } from '../connection/rows.ts';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import { columnList, typedColumns, wordArray, writtenColumns } from '../copy/bulk.ts';
import { scenarios, systems } from '../schema/index.ts';

interface PointFacts {
  system_id: string;
  kind: string;
  load_key: string;
}

interface StoredPoint extends PointFacts {
  id: number;
  scenario_id: number;
  scenario_key: string;
  created: boolean;
}

const systemColumns = columnList(writtenColumns(systems));
const scenarioColumns = columnList(writtenColumns(scenarios));

// Looks up rows one by one through an index, regardless of table statistics, which may be outdated when the plan is cached.
// Each insert is sorted, so that concurrent transactions take locks in the same order. Rows that another transaction inserts
// and commits meanwhile are in neither half of the result; the next statement sees them. Points are locked last, in id order.
const findOrMake = prepared<{ systems: string; scenarios: string; points: string; isLocked: boolean }, StoredPoint>(sql`
  with made_systems as (
    insert into systems (${systemColumns})
    select ${systemColumns}
    from jsonb_to_recordset(${value('systems')}::jsonb) as g (${typedColumns(systems, writtenColumns(systems))})
    where (select s.id from systems s where s.id = g.id) is null
    order by id on conflict do nothing
  ), given_scenarios as (
    select g.*, (select s.id from scenarios s where s.key = g.key) as id
    from jsonb_to_recordset(${value('scenarios')}::jsonb) as g (${typedColumns(scenarios, writtenColumns(scenarios))})
  ), made_scenarios as (
    insert into scenarios (${scenarioColumns})
    select ${scenarioColumns} from given_scenarios where id is null
    order by key on conflict do nothing
    returning id, key
  ), named as (
    select id, key from made_scenarios
    union all select id, key from given_scenarios where id is not null
  ), given as (
    select g.*, named.id as scenario_id, (select p.id from points p
      where (p.system_id, p.scenario_id, p.kind, p.load_key) = (g.system_id, named.id, g.kind, g.load_key)) as id
    from jsonb_to_recordset(${value('points')}::jsonb) as g (system_id text, scenario_key text, kind text, load_mode text,
      load_level float8, load_detail jsonb, load_key text, workload text, regime text)
    join named on named.key = g.scenario_key
  ), made as (
    insert into points (system_id, scenario_id, kind, load_mode, load_level, load_detail, load_key, workload, regime)
    select system_id, scenario_id, kind, load_mode, load_level, load_detail, load_key, workload, regime from given
    where id is null
    order by system_id, scenario_id, kind, load_key on conflict do nothing
    returning id, system_id, scenario_id, kind, load_key
  ), all_points as (
    select id, system_id, scenario_id, kind, load_key, true as created from made
    union all select id, system_id, scenario_id, kind, load_key, false from given where id is not null
  ), locked as (
    select p.id from points p
    where ${value('isLocked')}::bool and (select count(*) from all_points) = jsonb_array_length(${value('points')}::jsonb)
      and p.id = any(array(select id from given where id is not null))
    order by p.id for no key update
  )
  select a.id::int, a.system_id, a.scenario_id::int, named.key as scenario_key, a.kind, a.load_key, a.created
  from all_points a join named on named.id = a.scenario_id
  where (select count(*) from locked) >= 0`);

interface Facts {
  systems: SystemRow[];
  scenarios: (ScenarioRow & { id: number })[];
}

const readFacts = prepared<{ systems: string; scenarios: string }, Facts>(sql`
  select
    (select coalesce(json_agg(to_jsonb(s)), '[]') from systems s
      where s.id = any(${value('systems')}::text[])) as systems,
    (select coalesce(json_agg(to_jsonb(s)), '[]') from scenarios s
      where s.key in (select jsonb_array_elements_text(${value('scenarios')}::jsonb))) as scenarios`);

/** The rows of all systems; computes each system once. */
function toSystemRows(results: readonly Result[]) {
  const byFacts = new Map<string, ReturnType<typeof toSystemRow>>();
  // Most results share the same object.
  const bySystem = new Map<System, ReturnType<typeof toSystemRow>>();
  return results.map(({ system }) => {
    const known = bySystem.get(system);
    if (known !== undefined) return known;
    // Includes the spelling of names: the last one is stored.
    const facts = JSON.stringify(system);
    const row = byFacts.get(facts) ?? toSystemRow(system);
    byFacts.set(facts, row);
    bySystem.set(system, row);
    return row;
  });
}

/** The point of a result and the facts that define it. */
export interface Place extends LoadColumns {
  id: number;
  system_id: string;
  scenario_id: number;
}

/** The points of results. */
export interface Located {
  /** In the order of the results. */
  places: Place[];
  /** Ids of new points. */
  created: Set<number>;
  /** The stored system and scenario of a place. */
  factsOf(place: Place): Pick<ResultRow, 'system' | 'scenario'>;
}

const pointKey = ({ system_id, scenario_key, kind, load_key }: PointFacts & { scenario_key: string }) =>
  JSON.stringify([system_id, scenario_key, kind, load_key]);

/** Maximum retries if another transaction creates the same points concurrently. */
const attemptsMax = 5;

/**
 * Finds or creates the point of every result.
 *
 * @param whenLocked sends statements that must see everything stored at these points. Before it runs, the points are locked in
 * id order, so that concurrent uploads see each other's results and never deadlock. It runs again if some points were not found
 * at first. Without it, nothing is locked
 */
export async function upsertPoints<T = null>(
  tx: Transaction,
  results: readonly Result[],
  whenLocked: (() => Promise<T>) | null = null,
): Promise<Located & { seen: T | null }> {
  const systemRows = toSystemRows(results);
  const scenarioRows = results.map((result) => toScenarioRow(result.scenario));
  const pointRows = results.map((result, index) => {
    const { mode, level, ...detail } = result.load;
    const workload = workloadOf(result);
    return {
      system_id: systemRows[index]?.id ?? '',
      scenario_key: scenarioRows[index]?.key ?? '',
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
  const systemsById = new Map(systemRows.map((row) => [row.id, row]));
  const scenariosByKey = new Map(scenarioRows.map((row) => [row.key, row]));
  const values = {
    systems: JSON.stringify([...systemsById.values()]),
    scenarios: JSON.stringify([...scenariosByKey.values()]),
    points: JSON.stringify([...distinct.values()]),
    isLocked: whenLocked !== null,
  };
  const named = {
    systems: wordArray([...systemsById.keys()]),
    scenarios: JSON.stringify([...scenariosByKey.keys()]),
  };
  const found = new Map<string, StoredPoint>();
  const created = new Set<number>();
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const [points, [facts], seen] = await atOnce([
      findOrMake(tx, values),
      readFacts(tx, named),
      whenLocked?.() ?? null,
    ]);
    for (const point of points) {
      found.set(pointKey(point), point);
      if (point.created) created.add(point.id);
    }
    if (found.size < distinct.size) continue;
    const systemOf = new Map(facts?.systems.map((row) => [row.id, row]));
    const scenarioOf = new Map(facts?.scenarios.map((row) => [Number(row.id), row]));
    return {
      seen,
      places: pointRows.map(({ kind, load_mode, load_level, load_detail, system_id }, index) => {
        const { id, scenario_id } = found.get(keys[index] ?? '') ?? { id: -1, scenario_id: -1 };
        return { id, system_id, scenario_id, kind, load_mode, load_level, load_detail };
      }),
      created,
      factsOf: ({ system_id, scenario_id }) => {
        const [system, scenario] = [systemOf.get(system_id), scenarioOf.get(scenario_id)];
        if (system === undefined || scenario === undefined)
          throw new Error(`${system_id} or its scenario does not exist`);
        return { system, scenario };
      },
    };
  }
  throw new Error('points that were made at the same moment are not found');
}
