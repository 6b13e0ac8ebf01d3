import { boundedMetrics } from '@inferboard/core/filters/bounds';
import { splitFacts } from '@inferboard/core/filters/fact-names';
import { type Metric, unrankedGroups } from '@inferboard/core/metrics/index';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import { isBoundMetric } from '@inferboard/core/ranking/walked';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { and, boundConditions, pointConditions } from './lists/filter-conditions.ts';
import { type Asking, asksOfSenders, asksOfSystems, joinsOf, statusesOf } from './source.ts';

/** Rows `t` of `board_figures`: rankable claims, by any formula. */
export interface Figures {
  from: SQL;
  where: SQL;
  /** Whether a model or GPU is requested. */
  isOfFacts: boolean;
}

/** Joins and conditions for rows that have the facts and the bounded metrics of a claim. */
export interface Tested {
  joins: SQL;
  /** Whether `joins` include the systems `s`. */
  hasSystems: boolean;
  where: SQL[];
  /** The columns that `where` names. */
  columns: readonly string[];
  isOfFacts: boolean;
}

/**
 * Tests the rows of a table that has the columns of `board_figures`. Null if the bounds or filters need other columns.
 *
 * @param row the alias of the table
 */
export function testedBy(asking: Asking, statuses: readonly ResultStatus[], row: SQL): Tested | null {
  const { filters } = asking;
  if (!filters.bounds.every(({ metric }) => isBoundMetric(metric)) || asksOfSenders(filters)) return null;
  const { facts, others: rest } = splitFacts(filters);
  const { workload: _, regime: _r, ...others } = rest;
  const where = [
    sql`${row}.status = any(${texts(statuses)})`,
    ...facts.map(({ fact, names: asked }) => sql`${row}.${sql.identifier(fact)} = any(${texts(asked)})`),
    ...pointConditions(others),
    ...boundConditions(filters.bounds, row),
  ];
  const required = requiredFacts(asking);
  if (required !== 0) where.push(sql`(${row}.unnamed & ${sql.raw(String(required))}) = 0`);
  if (filters.trust) where.push(sql`${row}.trust = any(${texts(filters.trust)})`);
  const columns = ['status', 'unnamed', 'trust', ...facts.map(({ fact }) => fact), ...boundedMetrics(filters)];
  return {
    joins: joinsOf(others, row),
    hasSystems: asksOfSystems(others),
    where,
    columns,
    isOfFacts: facts.length > 0,
  };
}

/**
 * The rows of `board_figures` that match a request. Null if the request needs columns outside `board_figures`, systems and
 * points.
 */
export function figuresOf(
  asking: Asking,
  statuses: readonly ResultStatus[] = statusesOf(asking.filters),
): Figures | null {
  const { metrics } = asking;
  // These rows do not have the formulas.
  const isRankable = ({ name, family }: Metric) => isBoundMetric(name) && unrankedGroups(family).length === 0;
  if (!metrics.every(isRankable)) return null;
  const tested = testedBy(asking, statuses, sql`t`);
  if (tested === null) return null;
  const present = metrics.map(({ name }) => sql`t.${sql.identifier(name)} is not null`);
  return {
    from: sql`board_figures t ${tested.joins}`,
    where: and([...tested.where, ...present]),
    isOfFacts: tested.isOfFacts,
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
