import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { ResultStatus, Trust } from '@inferboard/core/result';
import type { Reading } from '@inferboard/core/series/change-figures';
import { sql } from 'drizzle-orm';
import { bigints } from '../bulk.ts';
import type { Queryable } from '../transaction.ts';
import { and } from './filter-conditions.ts';
import { singleResultConditions } from './history-results.ts';

/** One result's value of a metric at a point. */
export interface PointReading extends Reading {
  pointId: number;
  status: ResultStatus;
  trust: Trust;
}

/**
 * Values of a metric at points, the results newest first and no more of a point than `perPoint`. Copies are left out. Of the
 * filters those on results and values take part: which points are meant the caller knows.
 */
export async function listReadings(
  db: Queryable,
  question: { pointIds: readonly number[]; metric: Metric; filters: Filters; perPoint: number },
): Promise<PointReading[]> {
  const { pointIds, metric, filters, perPoint } = question;
  const value = sql`t.${sql.identifier(metric.name)}`;
  const rows = (await db.execute(sql`
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
      order by t.id desc limit ${perPoint}) one`)) as unknown as PointReading[];
  return rows.map(({ repeats, ...row }) => ({
    ...row,
    repeats: repeats && { n: repeats.n ?? null, sd: repeats.sd ?? null, samples: repeats.samples ?? null },
  }));
}
