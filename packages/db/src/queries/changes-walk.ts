import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import type { Queryable } from '../transaction.ts';
import { and, pointConditions } from './filter-conditions.ts';
import { singleResultConditions } from './history-results.ts';

export interface WalkedResult {
  id: string;
  pointId: number;
  /** The same for points of one model, GPU and scenario. */
  contest: string;
}

/** Ids are in the order of time; those of this time, give or take what clocks differ by. */
function idAt(instant: string, slack_ms: number): string {
  const ms = Math.max(0, Date.parse(instant) + slack_ms);
  return `res_${ms.toString(16).padStart(12, '0')}`;
}
const day_ms = 86_400_000;

/**
 * Results that have a metric and meet the filters, newest first, from an id on (it included). Copies are left out. The
 * order is that of the ids, so that nothing which arrives later lands on a page that is still to come.
 */
export async function walkResults(
  db: Queryable,
  question: { metric: Metric; filters: Filters; from: string | null; limit: number },
): Promise<WalkedResult[]> {
  const { metric, filters, from, limit } = question;
  const conditions = [
    sql`p.kind = ${metric.family.kind}`,
    sql`t.${sql.identifier(metric.name)} is not null`,
    ...singleResultConditions(filters),
    ...pointConditions(filters),
  ];
  // Few of all results are of some systems: they are found by their points.
  if (filters.system)
    conditions.push(
      sql`t.point_id = any(array(select own.id from points own where own.system_id = any(${texts(filters.system)})))`,
    );
  if (from !== null) conditions.push(sql`t.id <= ${from}`);
  // The exact times are among the conditions above; these end the walk along the index.
  if (filters.since) conditions.push(sql`t.id >= ${idAt(filters.since, -day_ms)}`);
  if (filters.until) conditions.push(sql`t.id < ${idAt(filters.until, day_ms)}`);
  return (await db.execute(sql`
    select t.id, t.point_id::int as "pointId",
      concat_ws(' ', sc.id, coalesce(s.model_id, s.model_family, s.model_key), coalesce(s.gpu_id, s.gpu_family, s.gpu_key))
        as contest
    from results t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where ${and(conditions)}
    order by t.id desc limit ${limit}`)) as unknown as WalkedResult[];
}
