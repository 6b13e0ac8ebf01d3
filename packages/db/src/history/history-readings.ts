import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Reading } from '@inferboard/core/series/change-figures';
import type { ResultStatus, Trust } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import { and } from '../boards/lists/filter-conditions.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { bigints } from '../copy/bulk.ts';
import { singleResultConditions } from './history-results.ts';

/** The value of a metric in one result at a point. */
export interface PointReading extends Reading {
  pointId: number;
  status: ResultStatus;
  trust: Trust;
}

/**
 * Values of a metric at points, newest result first, at most `perPoint` per point. Excludes copies. Applies only the filters on
 * results and values; the caller selects the points.
 */
export async function listReadings(
  db: Queryable,
  question: { pointIds: readonly number[]; metric: Metric; filters: Filters; perPoint: number },
): Promise<PointReading[]> {
  const { pointIds, metric, filters, perPoint } = question;
  const value = sql`t.${sql.identifier(metric.name)}`;
  const rows = await executeOften<PointReading>(
    db,
    sql`
    select one.* from unnest(${bigints([...new Set(pointIds)])}) as w (id)
    cross join lateral (
      select t.id, t.point_id::int as "pointId", t.submission_id as "submissionId", t.status, t.trust, ${value} as value,
        t.definitions ->> ${metric.family.base}::text as definition,
        to_json(t.measured_at) #>> '{}' as "measuredAt", to_json(t.created_at) #>> '{}' as "createdAt",
        case when jsonb_typeof(t.repeats) = 'object' then jsonb_build_object('n', t.repeats -> 'n',
          'sd', t.repeats -> 'sd' -> ${metric.name}::text, 'samples', t.repeats -> 'samples' -> ${metric.name}::text)
        end as repeats
      from results t
      where t.point_id = w.id and ${value} is not null and ${and(singleResultConditions(filters))}
      order by t.id desc limit ${perPoint}) one`,
  );
  return rows.map(({ repeats, ...row }) => ({
    ...row,
    repeats: repeats && { n: repeats.n ?? null, sd: repeats.sd ?? null, samples: repeats.samples ?? null },
  }));
}
