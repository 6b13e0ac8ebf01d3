import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { rankMatrix } from '@inferboard/core/ranking/matrix';
import { rankingNeeds } from '@inferboard/core/ranking/point-table';
import type { Dimension } from '@inferboard/core/ranking/subject';
import type { Trust } from '@inferboard/core/result';
import { confidenceInterval95 } from '@inferboard/core/statistics/summary';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../client.ts';
import { readPoints } from '../point-index/point-index.ts';
import { type RowKey, rowKeyOf, theRows } from '../point-index/row-key.ts';
import type { Spread } from '../point-statistics/packed.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

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

/** Places at most, empty ones with them: all models of the catalogue by all its GPUs are a twentieth of it. */
export const placesMax = 100_000;

export interface Matrix {
  /** By row and column. */
  cells: MatrixCell[];
  /** Points left out, by reason, as on a leaderboard. */
  excluded: Record<string, number>;
  /** Null where the rows or columns are workloads, and where nothing could be ranked. */
  workload: WorkloadChoice | null;
  /** The group of definitions that is compared; null where the metric has one formula. */
  definition: Choice | null;
}

type CellKey = RowKey & Pick<MatrixCell, 'row_key' | 'column_key'>;

async function readCells(tx: Transaction, metric: Metric, keys: readonly CellKey[]): Promise<MatrixCell[]> {
  if (keys.length === 0) return [];
  const spread = sql`coalesce(t.spreads -> ${metric.name}::text, '[1, null]')`;
  const rows = (await tx.execute(sql`
    select asked.place, t.${sql.identifier(metric.name)} as value, ${spread} as spread,
      t.trust, t.findings, t.warnings, to_json(s) as system, to_json(sc) as scenario,
      json_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from ${theRows(keys)}
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by asked.place`)) as unknown as (Omit<MatrixCell, 'row_key' | 'column_key' | 'n' | 'ci95'> & {
    place: number;
    spread: Spread;
  })[];
  return rows.flatMap(({ place, spread: [n, sd], ...cell }) => {
    const key = keys[place];
    if (key === undefined) return [];
    const ci95 = n === null ? null : confidenceInterval95(cell.value, sd, n);
    return [{ ...cell, n, ci95, row_key: key.row_key, column_key: key.column_key }];
  });
}

/**
 * The best point of every row and column, as `rankMatrix` of core finds them.
 *
 * @throws DomainError `request_invalid` where the matrix is too large
 */
export function listMatrix(
  db: Database['db'],
  question: {
    rows: Dimension;
    columns: Dimension;
    metric: Metric;
    order: 'asc' | 'desc';
    filters: Filters;
    definition: string | null;
  },
): Promise<Matrix> {
  const { metric: rankBy, filters } = question;
  return readPoints(
    db,
    { needs: rankingNeeds(rankBy, filters.bounds), filters, ranked: rankBy },
    (table, sent) => {
      const { cells, ...matrix } = rankMatrix(table, { ...question, rankBy, sent }, placesMax);
      const keys = cells.map(({ row, rowKey: row_key, columnKey: column_key }): CellKey => {
        return { row_key, column_key, ...rowKeyOf(table, row) };
      });
      return { ...matrix, keys };
    },
    async (tx, { keys, workload, ...matrix }) => ({
      ...matrix,
      workload: await readWorkload(tx, workload),
      cells: await readCells(tx, rankBy, keys),
    }),
  );
}
