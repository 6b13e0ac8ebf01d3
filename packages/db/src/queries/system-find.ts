import type { Filters } from '@inferboard/core/filters/filters';
import { sql } from 'drizzle-orm';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import type { Queryable } from '../transaction.ts';
import {
  and,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from './filter-conditions.ts';
import { pointDocument } from './point-document.ts';
import type { PointStatisticsRow, ScenarioRow, SystemRow } from './row-types.ts';

export interface SystemPoint {
  point: PointStatisticsRow;
  scenario: ScenarioRow;
}

/**
 * A system with all its points that meet the filters, by scenario and load; null if there is no such system. A point
 * whose results used several formulas for one metric comes once for each, the preferred first.
 */
export async function findSystem(
  db: Queryable,
  id: string,
  filters: Filters,
): Promise<{ system: SystemRow; points: SystemPoint[] } | null> {
  // Sent together: the one hardly ever finds nothing, and then the other finds nothing either.
  const [systems, points] = (await Promise.all([
    db.execute(sql`select to_jsonb(s) as system from systems s where s.id = ${id}`),
    db.execute(sql`
    select ${pointDocument} as point, to_jsonb(sc) as scenario
    from point_statistics t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where s.id = ${id} and t.stands and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters),
      ...boundConditions(filters.bounds),
    ])}
    order by sc.name, sc.id, p.load_mode, p.load_level, t.point_id, t.status, t.variant`),
  ])) as unknown as [{ system: SystemRow }[], (Omit<SystemPoint, 'point'> & { point: PackedRow })[]];
  const system = systems[0]?.system;
  if (system === undefined) return null;
  return { system, points: points.map(({ point, ...rest }) => ({ ...rest, point: unpackRow(point) })) };
}

/** Systems with at least one point that meets the filters, by label and id. Pages continue after (label, id). */
export async function listSystems(
  db: Queryable,
  question: { filters: Filters; limit: number; after: { label: string; id: string } | null },
): Promise<(SystemRow & { points: number })[]> {
  const { filters, limit, after } = question;
  const continued = after === null ? sql`true` : sql`(s.label, s.id) > (${after.label}, ${after.id})`;
  const rows = (await db.execute(sql`
    select to_jsonb(s) || jsonb_build_object('points', count(distinct t.point_id)) as row
    from systems s
    join points p on p.system_id = s.id
    join scenarios sc on sc.id = p.scenario_id
    join point_statistics t on t.point_id = p.id
    where ${continued} and t.stands and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters),
      ...boundConditions(filters.bounds),
    ])}
    group by s.id
    order by s.label, s.id
    limit ${limit}`)) as unknown as { row: SystemRow & { points: number } }[];
  return rows.map(({ row }) => row);
}
