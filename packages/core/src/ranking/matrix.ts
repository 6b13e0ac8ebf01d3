import { DomainError } from '../errors.ts';
import { bestRows, type Order } from './best-rows.ts';
import { type CensusQuestion, takeCensus } from './census.ts';
import type { PointTable } from './point-table.ts';
import { type Dimension, subjectsOf } from './subject.ts';

export interface MatrixQuestion extends CensusQuestion {
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

/**
 * For every row and column that points meet the filters of, the best of them, by row and column. As on a board a point
 * enters by its preferred formula of those that are compared; of equals the one of the smallest system id, then the
 * first.
 *
 * @throws DomainError `request_invalid` where rows times columns are more than `placesMax`
 */
export function rankMatrix(
  table: PointTable,
  question: MatrixQuestion,
  placesMax: number,
): { cells: CellRow[]; excluded: Record<string, number>; definitionGroup: string | null } {
  const { rankBy, order } = question;
  const { chosen, excluded, candidates } = takeCensus(table, question);
  const [rows, columns] = [subjectsOf(table, question.rows), subjectsOf(table, question.columns)];
  // Pairs that occur, numbered: most do not.
  const pairs = new Map<string, number>();
  const subjectOf = (row: number) => {
    const pair = `${rows.of(row)} ${columns.of(row)}`;
    const code = pairs.get(pair) ?? pairs.size;
    pairs.set(pair, code);
    return code;
  };
  const best = bestRows(table, candidates, { values: table.values(rankBy.name), order, subjectOf });
  const [down, across] = [rows, columns].map(({ of }) => new Set(Array.from(best, of)).size) as [number, number];
  if (down * across > placesMax) throw tooLarge(down, across, placesMax);
  const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  const cells = Array.from(best, (row) => ({
    rowKey: rows.keys[rows.of(row)] ?? '',
    columnKey: columns.keys[columns.of(row)] ?? '',
    row,
  })).sort((a, b) => compare(a.rowKey, b.rowKey) || compare(a.columnKey, b.columnKey));
  return { cells, excluded, definitionGroup: chosen?.group ?? null };
}
