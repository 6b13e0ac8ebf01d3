import { DomainError } from '../errors.ts';

/**
 * Rejects a matrix that is too large to display.
 *
 * @throws DomainError `request_invalid` if rows times columns exceed `placesMax`
 */
export function requirePlaces({ rows, columns }: { rows: number; columns: number }, placesMax: number): void {
  if (rows * columns <= placesMax) return;
  const message = `The matrix would have ${rows} rows and ${columns} columns; the maximum is ${placesMax} cells.`;
  const hint = 'Add filters, or use the leaderboard, which has pages.';
  throw new DomainError('request_invalid', message, [{ code: 'matrix_too_large', parameter: 'rows', message, hint }]);
}
