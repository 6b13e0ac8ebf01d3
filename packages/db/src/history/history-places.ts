import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { and, pointConditions } from '../boards/lists/filter-conditions.ts';
import type { LoadColumns, ScenarioRow } from '../boards/lists/row-types.ts';
import type { Queryable } from '../connection/transaction.ts';
import { singleResultConditions } from './history-results.ts';

/** A scenario and load at which some of the systems were measured, by one formula of a metric. */
export interface HistoryPlace {
  scenario: ScenarioRow;
  load: LoadColumns;
  /** Null if the metric has one formula. */
  definition: string | null;
  /** The systems' points at this scenario and load. */
  points: { id: number; system_id: string }[];
}

/** Cursor of a page: any point of its last place, and the formula. */
export interface PlaceCursor {
  pointId: number;
  definition: string;
}

/**
 * Lists where systems were measured by a metric, among the results that match the filters: by scenario, load and formula. The
 * order is total and stable; pages continue after a place.
 */
export async function listHistoryPlaces(
  db: Queryable,
  question: {
    systemIds: readonly string[];
    metric: Metric;
    filters: Filters;
    limit: number;
    after: PlaceCursor | null;
  },
): Promise<HistoryPlace[]> {
  const { systemIds, metric, filters, limit, after } = question;
  const value = sql`t.${sql.identifier(metric.name)}`;
  const place = sql`sc.name, sc.id, p.load_mode, coalesce(p.load_level, -1), p.load_key`;
  const definition = sql`coalesce(t.definitions ->> ${metric.family.base}::text, '')`;
  const continued =
    after === null
      ? sql`true`
      : sql`(${place}, ${definition}) > (
          select ${place}, ${after.definition}::text from points p join scenarios sc on sc.id = p.scenario_id
          where p.id = ${after.pointId})`;
  const rows = (await db.execute(sql`
    select to_jsonb(sc) as scenario, place.load, nullif(place.definition, '') as definition, place.points
    from (
      select ${place}, ${definition} as definition,
        jsonb_agg(jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level,
          'load_detail', p.load_detail, 'kind', p.kind)) -> 0 as load,
        jsonb_agg(distinct jsonb_build_object('id', p.id, 'system_id', p.system_id)) as points
      from points p
      join systems s on s.id = p.system_id
      join scenarios sc on sc.id = p.scenario_id
      join results t on t.point_id = p.id
      where p.system_id in (select jsonb_array_elements_text(${JSON.stringify(systemIds)}::jsonb))
        and p.kind = ${metric.family.kind} and ${value} is not null and ${continued}
        and ${and([...singleResultConditions(filters), ...pointConditions(filters)])}
      group by 1, 2, 3, 4, 5, 6
    ) place (name, scenario_id, load_mode, load_level, load_key, definition, load, points)
    join scenarios sc on sc.id = place.scenario_id
    order by place.name, place.scenario_id, place.load_mode, place.load_level, place.load_key, place.definition
    limit ${limit}`)) as unknown as HistoryPlace[];
  return rows;
}
