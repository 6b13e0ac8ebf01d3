import type { Metric } from '@inferboard/core/metrics/index';
import type { ResultStatus, Trust } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { type BestValue, betterFirst } from './system-badge-find.ts';

export interface SubmissionBadge {
  status: ResultStatus;
  tool: string;
  best: BestValue[];
  /** Number of its results by status and trust. */
  counts: { status: ResultStatus; trust: Trust; results: number }[];
}

/** A submission with its best accepted value of a metric by each formula; null if it does not exist. */
export async function findSubmissionBadge(db: Queryable, id: string, metric: Metric): Promise<SubmissionBadge | null> {
  const value = sql`t.${sql.identifier(metric.name)}`;
  const definition = sql`t.definitions ->> ${metric.family.base}::text`;
  const rows = (await db.execute(sql`
    select sub.status, sub.tool,
      coalesce((select jsonb_agg(best) from (
        select distinct on (definition) value, definition, trust, workload, load_mode, load_level from (
          select ${value} as value, ${definition} as definition, t.trust, t.ordinal, p.workload, p.load_mode, p.load_level
          from results t join points p on p.id = t.point_id where t.submission_id = sub.id and t.status = 'accepted' and ${value} is not null) one
        order by definition, value ${betterFirst(metric)}, ordinal) best), '[]') as best,
      coalesce((select jsonb_agg(one) from (
        select t.status, t.trust, count(*)::int as results from results t where t.submission_id = sub.id group by 1, 2
      ) one), '[]') as counts
    from submissions sub where sub.id = ${id}`)) as unknown as SubmissionBadge[];
  return rows[0] ?? null;
}
