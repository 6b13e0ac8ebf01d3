import { expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { requirePlaces } from './matrix.ts';

test('accepts a matrix up to the maximum number of cells', () => {
  for (const size of [
    { rows: 2, columns: 3 },
    { rows: 6, columns: 1 },
    { rows: 0, columns: 9 },
  ])
    expect(() => requirePlaces(size, 6)).not.toThrow();
});

test('rejects a matrix with too many cells', () => {
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
