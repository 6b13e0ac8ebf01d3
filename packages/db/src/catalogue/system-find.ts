import type { Filters } from '@inferboard/core/filters/filters';
import type { Search } from '@inferboard/core/find/words';
import type { Source } from '@inferboard/core/subjects/source';
import { sql } from 'drizzle-orm';
import {
  and,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from '../boards/lists/filter-conditions.ts';
import type { PointStatisticsRow, ScenarioRow, SystemRow } from '../boards/lists/row-types.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import { pointDocument } from '../points/point-document.ts';
import { labelHasWords } from './search-find.ts';

export interface SystemPoint {
  point: PointStatisticsRow;
  scenario: ScenarioRow;
}

/**
 * A system with its points that match the filters, by scenario and load; null if it does not exist. A point whose results use
 * several formulas for one metric appears once per formula, the preferred one first.
 */
export async function findSystem(
  db: Queryable,
  id: string,
  filters: Filters,
): Promise<{ system: SystemRow; points: SystemPoint[] } | null> {
  // Sent together: if the first finds no system, the second returns no rows.
  const [systems, points] = await Promise.all([
    executeOften<{ system: SystemRow }>(db, sql`select to_jsonb(s) as system from systems s where s.id = ${id}`),
    executeOften<Omit<SystemPoint, 'point'> & { point: PackedRow }>(
      db,
      sql`
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
    order by sc.name, sc.id, p.load_mode, p.load_level, t.point_id, t.status, t.variant`,
    ),
  ]);
  const system = systems[0]?.system;
  if (system === undefined) return null;
  return { system, points: points.map(({ point, ...rest }) => ({ ...rest, point: unpackRow(point) })) };
}

export interface ListedSystem extends SystemRow {
  /** Number of points that match the filters. */
  points: number;
  /** Publications of its imported results, up to `sourcesMax`. */
  sources: Source[];
}

/** Maximum sources per system: a publication may link one per run. */
const sourcesMax = 10;

/**
 * Systems with at least one point that matches the filters, by label and id. Pages continue after (label, id). With a search,
 * only systems whose labels contain its words.
 */
export async function listSystems(
  db: Queryable,
  question: {
    filters: Filters;
    limit: number;
    after: { label: string; id: string } | null;
    search?: Search | null;
  },
): Promise<ListedSystem[]> {
  const { filters, limit, after, search = null } = question;
  const continued = after === null ? sql`true` : sql`(s.label, s.id) > (${after.label}, ${after.id})`;
  const rows = await executeOften<{ row: ListedSystem }>(
    db,
    sql`
    select to_jsonb(own) || jsonb_build_object('points', q.points, 'sources', (
      select coalesce(jsonb_agg(f.source), '[]') from (
        select distinct f.source from points p
        join point_statistics t on t.point_id = p.id and t.stands and t.status = 'accepted'
        join results f on f.id = t.first_result_id and f.origin = 'imported'
        where p.system_id = q.id and f.source is not null limit ${sourcesMax}) f)) as row
    from (
    select s.id, s.label, count(distinct t.point_id) as points
    from systems s
    join points p on p.system_id = s.id
    join scenarios sc on sc.id = p.scenario_id
    join point_statistics t on t.point_id = p.id
    where ${continued} and ${search === null ? sql`true` : labelHasWords(search)} and t.stands and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters),
      ...boundConditions(filters.bounds),
    ])}
    group by s.id
    order by s.label, s.id
    limit ${limit}) q
    join systems own on own.id = q.id
    order by q.label, q.id`,
  );
  return rows.map(({ row }) => row);
}
