import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarise } from '../summary.ts';
import { type Comparison, type Sample, welch } from './welch.ts';

function compare(a: readonly number[], b: readonly number[]): Comparison {
  const found = welch(summarise(a), summarise(b));
  if (found === null) throw new Error('no comparison');
  return found;
}

// Expected figures are from SciPy's ttest_ind with unequal variances.
test('compares five repetitions each', () => {
  const { t, df, p, difference, ci95 } = compare([52.1, 51.9, 52.4, 52.0, 51.8], [49.0, 50.2, 51.1, 50.0, 49.7]);
  expect(t).toBeCloseTo(5.710904, 6);
  expect(df).toBeCloseTo(4.718886, 6);
  expect(p).toBeCloseTo(0.002774117, 8);
  expect(difference).toBeCloseTo(2.04, 10);
  expect(ci95[0]).toBeCloseTo(1.1050593, 6);
  expect(ci95[1]).toBeCloseTo(2.9749407, 6);
});

test('compares different numbers of repetitions', () => {
  const { t, df, p, ci95 } = compare([1, 2, 3], [10, 20, 40, 30]);
  expect(t).toBeCloseTo(-3.548977, 6);
  expect(df).toBeCloseTo(3.0478994, 6);
  expect(p).toBeCloseTo(0.0371625, 6);
  expect(ci95[0]).toBeCloseTo(-43.4424508, 5);
  expect(ci95[1]).toBeCloseTo(-2.5575491, 5);
});

describe('without deviation', () => {
  test('in both samples, the difference is certain', () => {
    const none = { t: null, df: null };
    expect(compare([5, 5], [4, 4, 4])).toEqual({ ...none, difference: 1, ci95: [1, 1], p: 0 });
    expect(compare([5, 5], [5, 5])).toEqual({ ...none, difference: 0, ci95: [0, 0], p: 1 });
  });

  test('in one sample, the degrees of freedom are those of the other', () => {
    expect(compare([7, 7, 7], [1, 2, 3]).df).toBeCloseTo(2, 12);
    expect(compare([1, 2, 3], [7, 7, 7]).df).toBeCloseTo(2, 12);
  });
});

test.each<[Sample, Sample]>([
  [summarise([5]), summarise([4, 5])],
  [summarise([4, 5]), summarise([5])],
  [
    { n: 1, mean: 5, sd: 0 },
    { n: 2, mean: 5, sd: 1 },
  ],
])('returns null for a single value', (a, b) => {
  expect(welch(a, b)).toBeNull();
});

test('compares values whose squares overflow', () => {
  const { t, df } = compare([1e300, 2e300, 3e300], [10e300, 20e300, 40e300, 30e300]);
  expect(t).toBeCloseTo(-3.548977, 6);
  expect(df).toBeCloseTo(3.0478994, 6);
});

const sample = fc.record({
  n: fc.integer({ min: 2, max: 50 }),
  mean: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  sd: fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
});

test('changes only the sign if the samples are swapped', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const one = welch(a, b);
      const other = welch(b, a);
      if (one === null || other === null) throw new Error('no comparison');
      expect(other.difference + one.difference).toBe(0);
      expect((other.df ?? 0) / (one.df ?? 0)).toBeCloseTo(1, 9);
      expect(other.p).toBeCloseTo(one.p, 9);
      const smaller = Math.min(a.n, b.n) - 1;
      expect(one.df).toBeGreaterThanOrEqual(smaller * (1 - 1e-9));
      expect(one.df).toBeLessThanOrEqual((a.n + b.n - 2) * (1 + 1e-9));
    }),
  );
});

// The page shows both, so they must never contradict each other.
test('has an interval that excludes 0 if and only if p is below 5 %', () => {
  fc.assert(
    fc.property(sample, sample, (a, b) => {
      const found = welch(a, b);
      if (found === null) throw new Error('no comparison');
      if (Math.abs(found.p - 0.05) < 1e-6) return;
      const [low, high] = found.ci95;
      expect(low > 0 || high < 0).toBe(found.p < 0.05);
    }),
  );
});
