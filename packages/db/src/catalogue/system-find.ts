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
import { texts } from '../copy/bulk.ts';
import { type PackedRow, unpackRow } from '../point-statistics/packed.ts';
import { pointDocument } from '../points/point-document.ts';
import { labelHasWords } from './search-find.ts';

export interface SystemPoint {
  point: PointStatisticsRow;
  scenario: ScenarioRow;
}

export interface FoundSystem {
  system: SystemRow;
  points: SystemPoint[];
}

/**
 * Systems by id, each with its points that match the filters, by scenario and load. Omits ids that do not exist. A point whose
 * results use several formulas for one metric appears once per formula, the preferred one first.
 */
export async function findSystems(
  db: Queryable,
  ids: readonly string[],
  filters: Filters,
): Promise<Map<string, FoundSystem>> {
  // Sent together: if the first finds no system, the second returns no rows.
  const [systems, points] = await Promise.all([
    executeOften<{ system: SystemRow }>(
      db,
      sql`select to_jsonb(s) as system from systems s where s.id = any(${texts(ids)})`,
    ),
    executeOften<{ systemId: string; scenario: ScenarioRow; point: PackedRow }>(
      db,
      sql`
    select s.id as "systemId", ${pointDocument} as point, to_jsonb(sc) as scenario
    from point_statistics t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where s.id = any(${texts(ids)}) and t.stands and ${and([
      statusCondition(filters),
      trustCondition(filters),
      ...pointConditions(filters),
      ...someResult(filters),
      ...boundConditions(filters.bounds),
    ])}
    order by sc.name, sc.id, p.load_mode, p.load_level, t.point_id, t.status, t.variant`,
    ),
  ]);
  const pointsOf = Map.groupBy(points, ({ systemId }) => systemId);
  const toPoints = (id: string) =>
    (pointsOf.get(id) ?? []).map(({ point, scenario }) => ({ scenario, point: unpackRow(point) }));
  return new Map(systems.map(({ system }) => [system.id, { system, points: toPoints(system.id) }]));
}

/** One system, see `findSystems`; null if it does not exist. */
export const findSystem = async (db: Queryable, id: string, filters: Filters): Promise<FoundSystem | null> =>
  (await findSystems(db, [id], filters)).get(id) ?? null;

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
