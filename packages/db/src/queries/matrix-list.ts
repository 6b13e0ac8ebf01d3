import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import { type Dimension, dimensionKeys } from './dimensions.ts';
import {
  and,
  boundConditions,
  pointConditions,
  someResult,
  statusCondition,
  trustCondition,
} from './filter-conditions.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';

/** The best point of a row and a column by one formula. */
export interface MatrixCell {
  row_key: string;
  column_key: string;
  value: number;
  /** Null where the metric has one formula. */
  definition: string | null;
  n: number | null;
  ci95: [number, number] | null;
  system: SystemRow;
  scenario: ScenarioRow;
  load: LoadColumns;
}

/** Cells at most, by each formula: two hundred by two hundred. */
export const cellsMax = 40_000;

/** For every row and column that points meet the filters of, the best of them, once for each formula. */
export async function listMatrix(
  db: Queryable,
  question: { rows: Dimension; columns: Dimension; metric: Metric; order: 'asc' | 'desc'; filters: Filters },
): Promise<MatrixCell[]> {
  const { rows, columns, metric, order, filters } = question;
  const value = sql`t.${sql.identifier(metric.name)}`;
  return (await db.execute(sql`
    with best as (
      select distinct on (row_key, column_key, definition) *
      from (
        select ${dimensionKeys[rows]} as row_key, ${dimensionKeys[columns]} as column_key, t.definitions ->> ${metric.family.base} as definition,
          ${value} as value, t.point_id, t.statistics -> ${metric.name}::text as figures, p.system_id, p.scenario_id
        from point_statistics t
        join points p on p.id = t.point_id
        join systems s on s.id = p.system_id
        join scenarios sc on sc.id = p.scenario_id
        where p.kind = ${metric.family.kind} and ${value} is not null and ${and([
          statusCondition(filters),
          trustCondition(filters),
          ...pointConditions(filters),
          ...someResult(filters, metric),
          ...boundConditions(filters.bounds),
        ])}
      ) candidate
      order by row_key, column_key, definition, value ${order === 'desc' ? sql`desc` : sql`asc`}, point_id
      limit ${cellsMax}
    )
    select b.row_key, b.column_key, b.definition, b.value, (b.figures ->> 'n')::int as n, b.figures -> 'ci95' as ci95,
      to_jsonb(s) as system, to_jsonb(sc) as scenario,
      jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from best b
    join points p on p.id = b.point_id
    join systems s on s.id = b.system_id
    join scenarios sc on sc.id = b.scenario_id
    order by b.row_key, b.column_key`)) as unknown as MatrixCell[];
}
