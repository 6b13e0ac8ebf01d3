import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/** Points with counted results of these submissions, by id. */
export async function listTouchedPoints(db: Queryable, submissionIds: readonly string[]): Promise<number[]> {
  const rows = (await db.execute(sql`
    select distinct t.point_id::int as id from results t
    where t.submission_id = any(${texts(submissionIds)}) and t.status = 'accepted' and t.copy_of is null
    order by id`)) as unknown as { id: number }[];
  return rows.map(({ id }) => id);
}

/** Metrics with a value in counted results of these submissions. */
export async function listMeasuredMetrics(
  db: Queryable,
  submissionIds: readonly string[],
): Promise<ReadonlySet<MetricName>> {
  const has = metricNames.map((name) => sql`bool_or(t.${sql.identifier(name)} is not null) as ${sql.identifier(name)}`);
  const [row = {}] = (await db.execute(sql`
    select ${sql.join(has, sql`, `)} from results t
    where t.submission_id = any(${texts(submissionIds)}) and t.status = 'accepted'
      and t.copy_of is null`)) as unknown as Record<string, boolean | null>[];
  return new Set(metricNames.filter((name) => row[name] === true));
}
