import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import { and, pointConditions } from '../boards/lists/filter-conditions.ts';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { singleResultConditions } from './history-results.ts';

export interface WalkedResult {
  id: string;
  pointId: number;
  /** Equal for points with the same model, GPU and scenario. */
  contest: string;
}

/** The lower bound of ids of a time, shifted by a slack for clock differences. Ids sort by time. */
function idAt(instant: string, slack_ms: number): string {
  const ms = Math.max(0, Date.parse(instant) + slack_ms);
  return `res_${ms.toString(16).padStart(12, '0')}`;
}
const day_ms = 86_400_000;

/**
 * Results that have a metric and match the filters, newest first, starting at an id (inclusive). Excludes copies. Sorted by id,
 * so that later results never appear on a page that was not read yet.
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
  // A filter on systems selects few results, so they are found by their points.
  if (filters.system)
    conditions.push(
      sql`t.point_id = any(array(select own.id from points own where own.system_id = any(${texts(filters.system)})))`,
    );
  if (from !== null) conditions.push(sql`t.id <= ${from}`);
  // Other conditions check the exact times; these bound the index scan.
  if (filters.since) conditions.push(sql`t.id >= ${idAt(filters.since, -day_ms)}`);
  if (filters.until) conditions.push(sql`t.id < ${idAt(filters.until, day_ms)}`);
  return executeOften<WalkedResult>(
    db,
    sql`
    select t.id, t.point_id::int as "pointId",
      concat_ws(' ', sc.id, coalesce(s.model_id, s.model_family, s.model_key), coalesce(s.gpu_id, s.gpu_family, s.gpu_key))
        as contest
    from results t
    join points p on p.id = t.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    where ${and(conditions)}
    order by t.id desc limit ${limit}`,
  );
}
