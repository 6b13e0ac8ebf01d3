import { DomainError } from '../errors.ts';

/**
 * Refuses what is too large to be shown.
 *
 * @throws DomainError `request_invalid` where rows times columns are more than `placesMax`
 */
export function requirePlaces({ rows, columns }: { rows: number; columns: number }, placesMax: number): void {
  if (rows * columns <= placesMax) return;
  const message = `The matrix would have ${rows} rows and ${columns} columns; it may have ${placesMax} places.`;
  const hint = 'Filter by what matters, or ask for the leaderboard, which comes in pages.';
  throw new DomainError('request_invalid', message, [{ code: 'matrix_too_large', parameter: 'rows', message, hint }]);
}
