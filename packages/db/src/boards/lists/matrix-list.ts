import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { requirePlaces } from '@inferboard/core/ranking/matrix';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { signOf } from '@inferboard/core/ranking/walked';
import { confidenceInterval95 } from '@inferboard/core/statistics/summary';
import type { Trust } from '@inferboard/core/subjects/result';
import type { Source } from '@inferboard/core/subjects/source';
import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../connection/client.ts';
import { executeOften } from '../../connection/statement.ts';
import { atOnce } from '../../connection/transaction.ts';
import type { Spread } from '../../point-statistics/packed.ts';
import { atOneMoment } from '../../service/moment.ts';
import { resolveScope } from '../board-scope.ts';
import { countLeftOut, type LeftOut } from '../left-out.ts';
import { type RowKey, rowKeys, theRows } from '../row-key.ts';
import { sourceOf, subjectOf, takesPart } from '../source.ts';
import { statusOrder } from '../stored-row.ts';
import { onBoards } from '../walk-board.ts';
import { and } from './filter-conditions.ts';
import { chooseFullest } from './fullest-workload.ts';
import type { LoadColumns, ScenarioRow, SystemRow } from './row-types.ts';
import { readWorkload, type WorkloadChoice } from './workload-facts.ts';

/** The best point for a row and a column. */
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
  /** Publication of the earliest result, if an operator imported it. */
  source: Source | null;
}

/** Maximum cells, including empty ones. All models of the catalogue times all GPUs need a twentieth of it. */
export const placesMax = 100_000;

export interface Matrix extends LeftOut {
  /** By row and column. */
  cells: MatrixCell[];
  /** Null if the rows or columns are workloads, or if no point could be ranked. */
  workload: WorkloadChoice | null;
  /** The compared formula group; null if the metric has one formula. */
  definition: Choice | null;
}

type CellKey = RowKey & Pick<MatrixCell, 'row_key' | 'column_key'>;

async function readCells(tx: Transaction, metric: Metric, keys: readonly CellKey[]): Promise<MatrixCell[]> {
  if (keys.length === 0) return [];
  const spread = sql`coalesce(t.spreads -> ${metric.name}::text, '[1, null]')`;
  const rows = await executeOften<
    Omit<MatrixCell, 'row_key' | 'column_key' | 'n' | 'ci95'> & { place: number; spread: Spread }
  >(
    tx,
    sql`
    select asked.place, t.${sql.identifier(metric.name)} as value, ${spread} as spread,
      t.trust, t.findings, t.warnings,
      (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source,
      to_json(s) as system, to_json(sc) as scenario,
      json_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from ${theRows(sql`${rowKeys(keys)}`)}
    join systems s on s.id = p.system_id
    join scenarios sc on sc.id = p.scenario_id
    order by asked.place`,
  );
  return rows.flatMap(({ place, spread: [n, sd], ...cell }) => {
    const key = keys[place];
    if (key === undefined) return [];
    const ci95 = n === null ? null : confidenceInterval95(cell.value, sd, n);
    return [{ ...cell, n, ci95, row_key: key.row_key, column_key: key.column_key }];
  });
}

interface MatrixQuestion {
  rows: Dimension;
  columns: Dimension;
  metric: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  definition: string | null;
  /** Whether to count all excluded points, without a limit. */
  countsAll?: boolean;
}

/** The best point for every row and column. Ties: the lowest system id, then the first point. */
async function findCells(
  tx: Transaction,
  { rows, columns, metric, order }: MatrixQuestion,
  { asking, on }: { asking: Parameters<typeof sourceOf>[0]; on: SQL },
): Promise<CellKey[]> {
  const source = sourceOf(asking);
  const isBetterFirst = (signOf(metric) === 1) === (order === 'desc');
  return (await tx.execute(sql`
    select row_key, column_key, "pointId", status, variant from (
      select distinct on (row_key, column_key) * from (
        select ${subjectOf(rows)} as row_key, ${subjectOf(columns)} as column_key, r.point_id::float8 as "pointId", r.status,
          r.variant, r.worth, r.disputed, r.system_id, ${statusOrder} as standing
        from ${source.from} where ${and([...source.where, on, takesPart(asking, source)])}) q
      order by row_key, column_key, worth ${sql.raw(isBetterFirst ? 'desc' : 'asc')}, disputed, system_id collate "C",
        "pointId", standing) cells
    order by row_key collate "C", column_key collate "C"`)) as unknown as CellKey[];
}

/**
 * Returns the best point for every row and column. No cell mixes workloads.
 *
 * @throws DomainError `request_invalid` if the matrix is too large
 */
export function listMatrix(db: Database['db'], question: MatrixQuestion): Promise<Matrix> {
  const { metric, filters, definition, rows, columns, countsAll = false } = question;
  const asking = {
    kind: metric.family.kind,
    metrics: [metric],
    filters,
    definition,
    countsAll,
    dimensions: [rows, columns],
  };
  return atOneMoment(db, async (tx) => {
    const first = await resolveScope(tx, asking);
    const fullest = first.workload && (await chooseFullest(tx, asking, first.workload));
    const within = fullest && { ...asking, filters: { ...filters, workload: [fullest.id] } };
    const scope = within === null ? first : await resolveScope(tx, within);
    const { definitions } = scope;
    const hasNone = scope.workloads.length === 0;
    const [leftOut, keys, chosen] = await atOnce([
      countLeftOut(tx, asking, scope),
      hasNone ? [] : findCells(tx, question, { asking, on: onBoards(asking, scope) }),
      readWorkload(tx, fullest ?? scope.workload),
    ]);
    const count = (of: (key: CellKey) => string) => new Set(keys.map(of)).size;
    requirePlaces({ rows: count((key) => key.row_key), columns: count((key) => key.column_key) }, placesMax);
    return {
      ...leftOut,
      definition: definitions[0] ?? null,
      workload: chosen,
      cells: await readCells(tx, metric, keys),
    };
  });
}
