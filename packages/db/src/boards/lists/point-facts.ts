import { sql } from 'drizzle-orm';
import { executeOften } from '../../connection/statement.ts';
import type { Queryable } from '../../connection/transaction.ts';
import { bigints } from '../../copy/bulk.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';

export interface PointFacts {
  point_id: number;
  load: LoadColumns;
  system: SystemRow;
  scenario: ScenarioRow;
}

type StoredPoint = LoadColumns & { id: number; system_id: string; scenario_id: number };

interface StoredFacts {
  points: readonly StoredPoint[];
  systems: readonly SystemRow[];
  scenarios: readonly (ScenarioRow & { id: number })[];
}

/**
 * Reads the configuration of points by id. Each system and scenario is read once and shared between its points: repeating it
 * for a thousand points would dominate the query's cost.
 */
export async function listPointFacts(db: Queryable, ids: readonly number[]): Promise<Map<number, PointFacts>> {
  const [stored] = await executeOften<StoredFacts>(
    db,
    sql`
    with asked as materialized (
      select p.id, p.system_id, p.scenario_id, p.load_mode, p.load_level, p.load_detail, p.kind
      from points p where p.id = any(${bigints(ids)}))
    select (select coalesce(json_agg(a), '[]') from asked a) as points,
      (select coalesce(json_agg(s), '[]') from systems s where s.id in (select system_id from asked)) as systems,
      (select coalesce(json_agg(sc), '[]') from scenarios sc where sc.id in (select scenario_id from asked)) as scenarios`,
  );
  const systems = new Map(stored?.systems.map((system) => [system.id, system]));
  const scenarios = new Map(stored?.scenarios.map((scenario) => [scenario.id, scenario]));
  return new Map(
    stored?.points.flatMap(({ id, system_id, scenario_id, ...load }): [number, PointFacts][] => {
      const [system, scenario] = [systems.get(system_id), scenarios.get(scenario_id)];
      return system && scenario ? [[id, { point_id: id, load, system, scenario }]] : [];
    }),
  );
}
