import { splitFacts } from '@inferboard/core/filters/fact-names';
import type { MetricName } from '@inferboard/core/metrics/index';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import { isBoundMetric } from '@inferboard/core/ranking/walked';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { and, boundConditions, pointConditions } from './lists/filter-conditions.ts';
import { type Asking, asksOfSenders, joinsOf, statusesOf } from './source.ts';

/** Rows `t` of `board_figures`: rankable claims, by any formula. */
export interface Figures {
  from: SQL;
  where: SQL;
  /** Whether a model or GPU is requested. */
  isOfFacts: boolean;
}

/**
 * The rows of `board_figures` that match a request. Null if the request needs columns outside `board_figures`, systems and
 * points.
 */
export function figuresOf(
  asking: Asking,
  statuses: readonly ResultStatus[] = statusesOf(asking.filters),
): Figures | null {
  const { metrics, filters } = asking;
  const names: MetricName[] = [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric)];
  if (!names.every(isBoundMetric) || asksOfSenders(filters)) return null;
  const { facts, others: rest } = splitFacts(filters);
  const { workload: _, regime: _r, ...others } = rest;
  const where = [
    sql`t.status = any(${texts(statuses)})`,
    ...facts.map(({ fact, names: asked }) => sql`t.${sql.identifier(fact)} = any(${texts(asked)})`),
    ...pointConditions(others),
    ...metrics.map(({ name }) => sql`t.${sql.identifier(name)} is not null`),
    ...boundConditions(filters.bounds),
  ];
  const required = requiredFacts(asking);
  if (required !== 0) where.push(sql`(t.unnamed & ${sql.raw(String(required))}) = 0`);
  if (filters.trust) where.push(sql`t.trust = any(${texts(filters.trust)})`);
  return {
    from: sql`board_figures t ${joinsOf(others, sql`t`)}`,
    where: and(where),
    isOfFacts: facts.length > 0,
  };
}

/** Counts the systems of each workload that have a matching claim. */
export async function countFigures(
  db: Queryable,
  { kind }: Asking,
  { from, where }: Figures,
): Promise<{ id: string; systems: number }[]> {
  return await executeOften<{ id: string; systems: number }>(
    db,
    sql`
    select b.workload as id, q.systems
    from (
      select board_id, count(*)::int as systems
      from (select distinct t.board_id, t.system_id from ${from} where ${where}) d group by 1) q
    join boards b on b.id = q.board_id
    where b.kind = ${kind} and b.metric = ''`,
  );
}
