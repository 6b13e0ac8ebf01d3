import { expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { requirePlaces } from './matrix.ts';

test('a matrix has as many places as it may', () => {
  for (const size of [
    { rows: 2, columns: 3 },
    { rows: 6, columns: 1 },
    { rows: 0, columns: 9 },
  ])
    expect(() => requirePlaces(size, 6)).not.toThrow();
});

test('a matrix is refused rather than cut where it has too many places', () => {
  const refusal = (() => {
    try {
      return requirePlaces({ rows: 3, columns: 2 }, 5);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(DomainError);
  expect(refusal).toMatchObject({
    code: 'request_invalid',
    message: 'The matrix would have 3 rows and 2 columns; the maximum is 5 cells.',
    faults: [{ code: 'matrix_too_large', parameter: 'rows' }],
  });
});
