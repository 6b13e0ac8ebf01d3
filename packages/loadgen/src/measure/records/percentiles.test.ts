import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentilesOf, pooledGaps } from './percentiles.ts';

describe('percentiles', () => {
  // numpy.percentile([15, 20, 35, 40, 50], [5, 30, 40, 50, 100])
  test('match NumPy', () => {
    expect(percentilesOf(Float64Array.of(50, 15, 40, 20, 35), [5, 30, 40, 50, 100])).toEqual([16, 23, 29, 35, 50]);
  });

  test('are the value itself for one value, and null for none', () => {
    expect(percentilesOf(Float64Array.of(7), [0, 50, 99])).toEqual([7, 7, 7]);
    expect(percentilesOf(new Float64Array(0), [50])).toBeNull();
  });

  test('are within the values and ascending', () => {
    fc.assert(
      fc.property(
        fc.float64Array({ minLength: 1, maxLength: 50, noNaN: true, noDefaultInfinity: true, max: 1e9, min: 0 }),
        (values) => {
          const found = percentilesOf(values.slice(), [0, 10, 50, 90, 99, 100]) ?? [];
          expect(found).toEqual([...found].sort((a, b) => a - b));
          expect([found[0], found[5]]).toEqual([
            values.reduce((a, b) => Math.min(a, b)),
            values.reduce((a, b) => Math.max(a, b)),
          ]);
        },
      ),
    );
  });
});

test('pools the gaps within each list', () => {
  expect(
    pooledGaps([Float64Array.of(1, 3, 6), new Float64Array(0), Float64Array.of(9), Float64Array.of(20, 21)]),
  ).toEqual(Float64Array.of(2, 3, 1));
});
