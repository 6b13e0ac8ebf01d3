import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Trust } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import { neededColumns, pointSource, surveyPoints, takesPart } from './board-census.ts';
import { type Dimension, dimensionKeys } from './dimensions.ts';
import { and, boundConditions } from './filter-conditions.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';

/** The best point of a row and a column. */
export interface MatrixCell {
  row_key: string;
  column_key: string;
  value: number;
  n: number | null;
  ci95: [number, number] | null;
  system: SystemRow;
  scenario: ScenarioRow;
  load: LoadColumns;
  trust: Trust;
  findings: number;
  warnings: number;
}

/** Cells at most: two hundred by two hundred. */
export const cellsMax = 40_000;

export interface Matrix {
  /** By row and column. */
  cells: MatrixCell[];
  /** Points left out, by reason, as on a leaderboard. */
  excluded: Record<string, number>;
  /** The group of definitions that is compared; null where the metric has one formula. */
  definitionGroup: string | null;
}

/**
 * For every row and column that points meet the filters of, the best of them. As on a leaderboard a point enters by its
 * preferred formula of those that are compared; of equals the one of the smallest system id, then the first.
 */
export async function listMatrix(
  db: Queryable,
  question: { rows: Dimension; columns: Dimension; metric: Metric; order: 'asc' | 'desc'; filters: Filters },
): Promise<Matrix> {
  const { rows, columns, metric, order, filters } = question;
  const ranking = { rankBy: metric, filters };
  const { chosen, excluded } = await surveyPoints(db, ranking);
  const value = sql`t.${sql.identifier(metric.name)}`;
  const cells = (await db.execute(sql`
    with eligible as (
      select distinct on (t.point_id, t.status) ${dimensionKeys[rows]} as row_key, ${dimensionKeys[columns]} as column_key,
        ${sql.join(neededColumns(ranking), sql`, `)}, t.point_id, t.status, t.statistics -> ${metric.name}::text as figures,
        p.system_id, t.trust, t.findings, t.warnings
      ${pointSource}
      where ${and(takesPart(ranking, chosen))}
      order by t.point_id, t.status, t.variant
    ), best as (
      select distinct on (t.row_key, t.column_key) t.*, ${value} as value
      from eligible t
      where ${and(boundConditions(filters.bounds))}
      order by t.row_key, t.column_key, ${value} ${order === 'desc' ? sql`desc` : sql`asc`}, t.system_id, t.point_id, t.status
      limit ${cellsMax}
    )
    select b.row_key, b.column_key, b.value, (b.figures ->> 'n')::int as n, b.figures -> 'ci95' as ci95,
      b.trust, b.findings, b.warnings,
      to_jsonb(s) as system, to_jsonb(sc) as scenario,
      jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from best b
    join points p on p.id = b.point_id
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by b.row_key, b.column_key`)) as unknown as MatrixCell[];
  return { cells, excluded, definitionGroup: chosen?.group ?? null };
}
