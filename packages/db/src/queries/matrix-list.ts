import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import type { Choice } from '@inferboard/core/ranking/choice';
import { requirePlaces } from '@inferboard/core/ranking/matrix';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { signOf } from '@inferboard/core/ranking/walked';
import type { Trust } from '@inferboard/core/result';
import type { Source } from '@inferboard/core/source';
import { confidenceInterval95 } from '@inferboard/core/statistics/summary';
import { type SQL, sql } from 'drizzle-orm';
import { countLeftOut, type LeftOut } from '../boards/left-out.ts';
import { type RowKey, rowKeys, theRows } from '../boards/row-key.ts';
import { settleBoard } from '../boards/settle.ts';
import { sourceOf, subjectOf, takesPart } from '../boards/source.ts';
import { statusOrder } from '../boards/stored-row.ts';
import { onBoards } from '../boards/walk-board.ts';
import type { Database, Transaction } from '../client.ts';
import type { Spread } from '../point-statistics/packed.ts';
import { atOnce } from '../transaction.ts';
import { and } from './filter-conditions.ts';
import { atOneMoment } from './leaderboard-list.ts';
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
  /** Where the earliest of its results was published, if an operator imported it from there. */
  source: Source | null;
}

/** Places at most, empty ones with them: all models of the catalogue by all its GPUs are a twentieth of it. */
export const placesMax = 100_000;

export interface Matrix extends LeftOut {
  /** By row and column. */
  cells: MatrixCell[];
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
      t.trust, t.findings, t.warnings,
      (select f.source from results f where f.id = t.first_result_id and f.origin = 'imported') as source,
      to_json(s) as system, to_json(sc) as scenario,
      json_build_object('load_mode', p.load_mode, 'load_level', p.load_level, 'load_detail', p.load_detail,
        'kind', p.kind) as load
    from ${theRows(sql`${rowKeys(keys)}`)}
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

interface MatrixQuestion {
  rows: Dimension;
  columns: Dimension;
  metric: Metric;
  order: 'asc' | 'desc';
  filters: Filters;
  definition: string | null;
  /** Whether points left out are counted to the last, however many. */
  countsAll?: boolean;
}

/** Of every row and column the best point; of equals the one of the smallest system id, then the first. */
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
 * The best point of every row and column. No cell mixes workloads.
 *
 * @throws DomainError `request_invalid` where the matrix is too large
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
    const settled = await settleBoard(tx, asking);
    const { workload, definitions } = settled;
    const hasNone = settled.workloads.length === 0;
    const [leftOut, keys, chosen] = await atOnce([
      countLeftOut(tx, asking, settled),
      hasNone ? [] : findCells(tx, question, { asking, on: onBoards(asking, settled) }),
      readWorkload(tx, workload),
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
