import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binomialCdf } from './binomial.ts';
import { percentileInterval } from './percentile-interval.ts';

// The same rule in SciPy's binom gives these ranks.
test.each([
  [100, 50, 40, 61],
  [500, 99, 490, 500],
  [1000, 99, 983, 997],
  [20, 50, 6, 15],
  [100, 90, 84, 96],
  [10_000, 50, 4902, 5099],
  [10_000, 99, 9880, 9920],
  [10_000, 99.9, 9983, 9997],
])('of %d values, percentile %d lies between values %d and %d', (n, p, low, high) => {
  expect(percentileInterval(n, p)).toEqual({ low, high });
});

// One value fewer and nothing can be said of one end.
test.each([
  [50, 6],
  [90, 36],
  [95, 72],
  [99, 368],
  [99.9, 3688],
])('percentile %d has an interval from %d values', (p, fewest) => {
  expect(percentileInterval(fewest, p)).not.toBeNull();
  expect(percentileInterval(fewest - 1, p)).toBeNull();
});

test.each([0, 1, 2])('%d values have none', (n) => {
  expect(percentileInterval(n, 50)).toBeNull();
});

test.each([0, 100, -1, Number.NaN])('percentile %d is refused', (p) => {
  expect(() => percentileInterval(100, p)).toThrow(RangeError);
});

const sizes = fc.integer({ min: 6, max: 3000 });
const shares = fc.integer({ min: 1, max: 99 });

test('covers at least 95 %, and one rank less on either side exceeds what that side may miss', () => {
  fc.assert(
    fc.property(sizes, shares, (n, p) => {
      const found = percentileInterval(n, p);
      if (found === null) return;
      const below = (rank: number) => binomialCdf(rank - 1, n, p / 100);
      expect(found.low).toBeGreaterThanOrEqual(1);
      expect(found.high).toBeLessThanOrEqual(n);
      expect(below(found.high) - below(found.low)).toBeGreaterThanOrEqual(0.95);
      expect(below(found.low + 1)).toBeGreaterThan(0.025);
      expect(below(found.high - 1)).toBeLessThan(0.975);
    }),
  );
});

test('is the mirror of the interval of the opposite percentile', () => {
  fc.assert(
    fc.property(sizes, shares, (n, p) => {
      const found = percentileInterval(n, p);
      const mirrored = found === null ? null : { low: n + 1 - found.high, high: n + 1 - found.low };
      expect(percentileInterval(n, 100 - p)).toEqual(mirrored);
    }),
  );
});
