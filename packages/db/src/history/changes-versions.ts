import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { statusCondition } from '../boards/lists/filter-conditions.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { firstMeasuredAt } from './first-measured.ts';
import { sameLineage, versionsMax } from './history-lineage.ts';

/** A version that was measured in the same configuration as a point. */
export interface MeasuredVersion {
  /** The given point. */
  of: number;
  definition: string | null;
  /** The version's point; equals `of` for the given version. */
  pointId: number;
  version: string;
  /** When the version's first result was measured; when it was stored, if that is unknown. */
  since: string;
}

/**
 * For points with one definition each: the versions of the same engine that were measured on the same system, scenario and load
 * by the same definition, including their own. Unordered. Points with an unknown version are omitted.
 */
export async function listMeasuredVersions(
  db: Queryable,
  question: { points: readonly { pointId: number; definition: string | null }[]; metric: Metric; filters: Filters },
): Promise<MeasuredVersion[]> {
  const { points, metric, filters } = question;
  // A system has one point for each load. Without "limit 1", PostgreSQL reads all points of the scenario for each version.
  return executeOften<MeasuredVersion>(
    db,
    sql`
    select w."pointId"::int as of, w.definition, q.id::int as "pointId", f.engine_version as version,
      coalesce(${firstMeasuredAt(sql`q.id`)}, to_json(f.created_at) #>> '{}') as since
    from jsonb_to_recordset(${JSON.stringify(points)}::jsonb) as w ("pointId" bigint, definition text)
    join points p on p.id = w."pointId"
    join systems s on s.id = p.system_id and s.engine_version is not null
    cross join lateral (
      select f.id, f.engine_version, f.created_at from systems f
      where ${sameLineage} and f.engine_version is not null
      order by f.created_at desc, f.id limit ${versionsMax}) f
    cross join lateral (
      select q.id from points q
      where q.system_id = f.id and q.scenario_id = p.scenario_id and q.kind = p.kind and q.load_key = p.load_key
      limit 1) q
    where exists (
      select 1 from point_statistics t
      where t.point_id = q.id and t.stands and ${statusCondition(filters)} and t.${sql.identifier(metric.name)} is not null
        and t.definitions ->> ${metric.family.base}::text is not distinct from w.definition)`,
  );
}
