import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { type Frontier, findFrontier } from '@inferboard/core/ranking/frontier';
import { rankingNeeds } from '@inferboard/core/ranking/point-table';
import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Database } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';
import { rowKeyOf } from '../point-index/row-key.ts';
import type { Queryable } from '../transaction.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

export interface PointFacts {
  point_id: number;
  load: LoadColumns;
  system: SystemRow;
  scenario: ScenarioRow;
}

/** A point by two of its figures, with what was measured there. */
export interface PlacedPoint extends PointFacts {
  x: number;
  y: number;
  isOnFrontier: boolean;
}

/** Points beside the frontier at most. */
const othersMax = 1000;

/** Points by two figures with those that no other beats, as `findFrontier` of core finds them. */
export function listFrontier(
  db: Database['db'],
  question: { x: Metric; y: Metric; filters: Filters; definition: string | null },
): Promise<Omit<Frontier, 'shown' | 'workload'> & { workload: WorkloadChoice | null; points: PlacedPoint[] }> {
  const { x, y, filters } = question;
  const needs = {
    values: [...new Set([x, y].flatMap((metric) => rankingNeeds(metric, filters.bounds).values))],
    figures: [],
    definitions: [...new Set([x.family.base, y.family.base])],
  };
  return readPoints(
    db,
    { needs, filters, ranked: x },
    (table, sent) => {
      const { shown, ...frontier } = findFrontier(table, { ...question, sent }, othersMax);
      const [xs, ys] = [table.values(x.name), table.values(y.name)];
      const placed = shown.map(({ row, isOnFrontier }) => {
        return {
          pointId: rowKeyOf(table, row).pointId,
          x: xs[row] ?? Number.NaN,
          y: ys[row] ?? Number.NaN,
          isOnFrontier,
        };
      });
      return { ...frontier, placed };
    },
    async (tx, { placed, workload, ...frontier }) => {
      const ids = placed.map(({ pointId }) => pointId);
      const facts = await listPointFacts(tx, ids);
      const points = placed.flatMap(({ pointId, ...point }) => {
        const known = facts.get(pointId);
        return known === undefined ? [] : [{ ...point, ...known }];
      });
      return { ...frontier, workload: await readWorkload(tx, workload), points };
    },
  );
}

type StoredPoint = LoadColumns & { id: number; system_id: string; scenario_id: number };

interface StoredFacts {
  points: readonly StoredPoint[];
  systems: readonly SystemRow[];
  scenarios: readonly (ScenarioRow & { id: number })[];
}

/**
 * What was measured at points, by their ids. Each system and scenario comes once and is the same object at all its points:
 * spelt out for each of a thousand points they would be most of what the database does for a chart.
 */
export async function listPointFacts(db: Queryable, ids: readonly number[]): Promise<Map<number, PointFacts>> {
  const [stored] = (await db.execute(sql`
    with asked as materialized (
      select p.id, p.system_id, p.scenario_id, p.load_mode, p.load_level, p.load_detail, p.kind
      from points p where p.id = any(${bigints(ids)}))
    select (select coalesce(json_agg(a), '[]') from asked a) as points,
      (select coalesce(json_agg(s), '[]') from systems s where s.id in (select system_id from asked)) as systems,
      (select coalesce(json_agg(sc), '[]') from scenarios sc where sc.id in (select scenario_id from asked)) as scenarios`)) as unknown as StoredFacts[];
  const systems = new Map(stored?.systems.map((system) => [system.id, system]));
  const scenarios = new Map(stored?.scenarios.map((scenario) => [scenario.id, scenario]));
  return new Map(
    stored?.points.flatMap(({ id, system_id, scenario_id, ...load }): [number, PointFacts][] => {
      const [system, scenario] = [systems.get(system_id), scenarios.get(scenario_id)];
      return system && scenario ? [[id, { point_id: id, load, system, scenario }]] : [];
    }),
  );
}
