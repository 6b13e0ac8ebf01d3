import { DomainError } from '../errors.ts';
import type { Metric } from '../metrics/index.ts';
import { BestRows, type Order } from './best-rows.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { Choice } from './choice.ts';
import type { PointTable } from './point-table.ts';
import { eachChunk } from './row-set.ts';
import { createPairs, type Dimension, subjectsOf, subjectsOfRows } from './subject.ts';

export interface MatrixQuestion extends Omit<CensusQuestion, 'kind' | 'metrics' | 'dimensions'> {
  rankBy: Metric;
  order: Order;
  rows: Dimension;
  columns: Dimension;
}

export interface CellRow {
  rowKey: string;
  columnKey: string;
  /** Of the table. */
  row: number;
}

function tooLarge(rows: number, columns: number, placesMax: number): DomainError {
  const message = `The matrix would have ${rows} rows and ${columns} columns; it may have ${placesMax} places.`;
  const hint = 'Filter by what matters, or ask for the leaderboard, which comes in pages.';
  return new DomainError('request_invalid', message, [{ code: 'matrix_too_large', parameter: 'rows', message, hint }]);
}

/** What a matrix holds to, and its cells. */
export interface RankedMatrix {
  cells: CellRow[];
  /** Null where the rows or columns are workloads: then each has its own. */
  workload: Choice | null;
  definition: Choice | null;
  excluded: Record<string, number>;
}

/**
 * For every row and column that points meet the filters of, the best of them, by row and column. No cell mixes workloads;
 * of equals the one of the smallest system id stands, then the first.
 *
 * @throws DomainError `request_invalid` where rows times columns are more than `placesMax`
 */
export function rankMatrix(table: PointTable, question: MatrixQuestion, placesMax: number): RankedMatrix {
  const { rankBy, order } = question;
  const { workload, definitions, excluded, candidates } = takeCensus(table, {
    ...question,
    kind: rankBy.family.kind,
    metrics: [rankBy],
    dimensions: [question.rows, question.columns],
  });
  const [rows, columns] = [subjectsOf(table, question.rows), subjectsOf(table, question.columns)];
  const pairs = createPairs();
  const held = new BestRows(table, { values: table.values(rankBy.name), order });
  eachChunk({ set: candidates, limits: [] }, (chunk) =>
    held.take(chunk, pairs(subjectsOfRows(rows, chunk), subjectsOfRows(columns, chunk))),
  );
  const best = held.rows;
  const [down, across] = [subjectsOfRows(rows, best).of, subjectsOfRows(columns, best).of];
  const [height, width] = [new Set(down).size, new Set(across).size];
  if (height * width > placesMax) throw tooLarge(height, width, placesMax);
  const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const cells = Array.from(best, (row, place) => ({
    rowKey: rows.keys[down[place] as number] ?? '',
    columnKey: columns.keys[across[place] as number] ?? '',
    row,
  })).sort((a, b) => compare(a.rowKey, b.rowKey) || compare(a.columnKey, b.columnKey));
  return { cells, workload, definition: definitions[0] ?? null, excluded };
}
