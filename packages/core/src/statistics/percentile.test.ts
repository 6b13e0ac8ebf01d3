import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percentile } from './percentile.ts';

test.each([
  [50, 12],
  [90, 35.2],
  [99, 48.52],
  [0, 10],
  [100, 50],
])('computes p%d of five values', (p, expected) => {
  expect(percentile([10, 12, 11, 13, 50], p)).toBeCloseTo(expected, 10);
});

test('interpolates p99 of 1..100 between ranks', () => {
  expect(
    percentile(
      Array.from({ length: 100 }, (_, i) => i + 1),
      99,
    ),
  ).toBeCloseTo(99.01, 10);
});

test('rejects an empty list and percentiles outside 0 to 100', () => {
  expect(() => percentile([], 50)).toThrow(RangeError);
  expect(() => percentile([1], 101)).toThrow(RangeError);
  expect(() => percentile([1], Number.NaN)).toThrow(RangeError);
});

const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 50 });
const p = fc.double({ min: 0, max: 100, noNaN: true });

test('is within the values and never falls with p', () => {
  fc.assert(
    fc.property(values, p, p, (list, a, b) => {
      const low = percentile(list, Math.min(a, b));
      const high = percentile(list, Math.max(a, b));
      expect(low).toBeGreaterThanOrEqual(Math.min(...list));
      expect(high).toBeLessThanOrEqual(Math.max(...list));
      expect(low).toBeLessThanOrEqual(high);
    }),
  );
});

test('does not sort the given list', () => {
  const list = [3, 1, 2];
  percentile(list, 50);
  expect(list).toEqual([3, 1, 2]);
});
