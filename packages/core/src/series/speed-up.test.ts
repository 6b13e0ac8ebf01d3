import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sample } from '../statistics/intervals/welch.ts';
import { summarise } from '../statistics/summary.ts';
import { speedup, speedupInterval } from './speed-up.ts';

test('divides a rate by the baseline, and the baseline by a latency', () => {
  expect(speedup(1500, 1000, 'higher')).toBe(1.5);
  expect(speedup(20, 30, 'lower')).toBe(1.5);
});

test.each([
  [0, 5],
  [5, 0],
  [5, Number.NaN],
])('is null for %d over %d', (value, baseline) => {
  expect(speedup(value, baseline, 'higher')).toBeNull();
  expect(speedup(value, baseline, 'lower')).toBeNull();
});

// 52.04 / 50 with df 4.664428 and t from SciPy.
test('has an interval from 1.0215 to 1.0605 for five repetitions each', () => {
  const fast = summarise([52.1, 51.9, 52.4, 52.0, 51.8]);
  const slow = summarise([49.0, 50.2, 51.1, 50.0, 49.7]);
  const [low, high] = speedupInterval(fast, slow, 'higher') ?? [];
  expect(low).toBeCloseTo(1.0215083, 6);
  expect(high).toBeCloseTo(1.0604561, 6);
});

test('has an exact ratio without deviation, and no interval for a single value', () => {
  const [low, high] = speedupInterval(summarise([3, 3]), summarise([2, 2]), 'higher') ?? [];
  expect(low).toBeCloseTo(1.5, 12);
  expect(high).toBeCloseTo(1.5, 12);
  expect(speedupInterval(summarise([3]), summarise([2, 2]), 'higher')).toBeNull();
  expect(speedupInterval({ n: 2, mean: 0, sd: 0 }, summarise([2, 2]), 'higher')).toBeNull();
});

const sample: fc.Arbitrary<Sample> = fc
  .record({
    n: fc.integer({ min: 2, max: 20 }),
    mean: fc.double({ min: 1, max: 1e4, noNaN: true }),
    cv: fc.double({ min: 0, max: 0.05, noNaN: true }),
  })
  .map(({ n, mean, cv }) => ({ n, mean, sd: cv * mean }));

test('has an interval that contains the ratio, and is inverted with the baseline', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const ratio = speedup(a.mean, b.mean, 'higher') ?? Number.NaN;
      const [low, high] = speedupInterval(a, b, 'higher') ?? [Number.NaN, Number.NaN];
      expect(low).toBeLessThanOrEqual(ratio * (1 + 1e-12));
      expect(high).toBeGreaterThanOrEqual(ratio * (1 - 1e-12));
      const [otherLow, otherHigh] = speedupInterval(b, a, 'higher') ?? [Number.NaN, Number.NaN];
      expect(otherLow * high).toBeCloseTo(1, 9);
      expect(otherHigh * low).toBeCloseTo(1, 9);
      expect(speedupInterval(b, a, 'lower')).toEqual([low, high]);
    }),
  );
});
