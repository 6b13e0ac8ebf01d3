import fc from 'fast-check';
import { expect, test } from 'vitest';
import { summarise } from './summary.ts';

const figures = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 });

test('summarizes three repetitions', () => {
  const { n, mean, sd, cv, ci95, median } = summarise([101.2, 99.8, 100.4]);
  expect({ n, median }).toEqual({ n: 3, median: 100.4 });
  expect(mean).toBeCloseTo(100.467, 3);
  expect(sd).toBeCloseTo(0.7024, 4);
  expect(cv).toBeCloseTo(0.007, 4);
  expect(ci95?.[0]).toBeCloseTo(98.7219, 4);
  expect(ci95?.[1]).toBeCloseTo(102.2115, 4);
});

test.each([
  [[52.1, 51.9, 52.4, 52.0, 51.8], 51.754, 52.326],
  [[49.0, 50.2, 51.1, 50.0, 49.7], 49.05, 50.95],
  [[100, 101, 99, 100.5, 87], 90.15, 104.85],
])('computes the interval of %j', (values, low, high) => {
  const { ci95 } = summarise(values);
  expect(ci95?.[0]).toBeCloseTo(low, 2);
  expect(ci95?.[1]).toBeCloseTo(high, 2);
});

// Two runs far apart: t is 12.7, so that the interval is wider than the values.
test('limits the interval of speeds and latencies to 0', () => {
  const { ci95, mean } = summarise([50, 100]);
  expect(mean).toBe(75);
  expect(ci95?.[0]).toBe(0);
  expect(ci95?.[1]).toBeCloseTo(75 + 12.7062 * 25, 2);
});

// A single run must never look like a repeated one.
test('has no deviation and no interval for one value', () => {
  expect(summarise([7])).toEqual({ n: 1, mean: 7, sd: null, median: 7, ci95: null, cv: null, min: 7, max: 7 });
});

test('rejects an empty list', () => {
  expect(() => summarise([])).toThrow(RangeError);
});

test('keeps the precision of the deviation with a large offset', () => {
  expect(summarise([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]).sd).toBeCloseTo(Math.sqrt(30), 9);
});

test('computes the deviation of values whose squares overflow', () => {
  expect(summarise([1e300, 3e300]).sd).toBeCloseTo(Math.SQRT2 * 1e300, -290);
  expect(summarise([-1e300, -3e300]).sd).toBeCloseTo(Math.SQRT2 * 1e300, -290);
});

test('has a deviation of 0 for equal values', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.integer({ min: 2, max: 20 }), (value, n) => {
      expect(summarise(Array<number>(n).fill(value))).toMatchObject({ mean: value, sd: 0, min: value, max: value });
    }),
  );
});

test('agrees with the textbook formulas', () => {
  fc.assert(
    fc.property(figures, (values) => {
      const { mean, sd, ci95, min, max, median } = summarise(values);
      const naive = values.reduce((a, b) => a + b, 0) / values.length;
      expect(Math.abs(mean - naive)).toBeLessThanOrEqual(1e-9 * Math.max(1, Math.abs(min), Math.abs(max)));
      expect(mean).toBeGreaterThanOrEqual(min);
      expect(mean).toBeLessThanOrEqual(max);
      expect(median).toBeGreaterThanOrEqual(min);
      expect(median).toBeLessThanOrEqual(max);
      if (sd === null || ci95 === null) {
        expect(values).toHaveLength(1);
        return;
      }
      const squares = values.reduce((a, b) => a + (b - naive) ** 2, 0);
      expect(sd).toBeCloseTo(Math.sqrt(squares / (values.length - 1)), 5);
      expect(ci95[0]).toBeLessThanOrEqual(mean);
      expect(ci95[1]).toBeGreaterThanOrEqual(mean);
    }),
  );
});
