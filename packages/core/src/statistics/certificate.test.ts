import { describe, expect, test, vi } from 'vitest';
import { createRandom } from '../testing/random.ts';
import { sampleFloor, upperBoundRank } from './certificate.ts';

/** C(n, i) p^i (1 - p)^(n - i) summed up to k, term by term in logarithms, independent of the code under test. */
function cdf(k: number, n: number, p: number): number {
  let sum = 0;
  let logChoose = 0;
  for (let i = 0; i <= k; i++) {
    sum += Math.exp(logChoose + i * Math.log(p) + (n - i) * Math.log(1 - p));
    logChoose += Math.log(n - i) - Math.log(i + 1);
  }
  return sum;
}

test.each([
  [50, 5],
  [90, 29],
  [95, 59],
  [99, 299],
  [99.9, 2995],
])('percentile %d needs at least %d samples', (p, floor) => {
  expect(sampleFloor(p)).toBe(floor);
  expect(1 - (p / 100) ** floor).toBeGreaterThanOrEqual(0.95);
  expect(1 - (p / 100) ** (floor - 1)).toBeLessThan(0.95);
});

describe('the rank of the upper bound', () => {
  // 0.99^458 > 0.01 >= 0.99^459, and similarly for the others.
  test.each([
    [50, 6, null],
    [50, 7, 7],
    [90, 43, null],
    [90, 44, 44],
    [95, 89, null],
    [95, 90, 90],
    [99, 458, null],
    [99, 459, 459],
    [50, 0, null],
  ])('of percentile %d of %d values is %s', (p, n, rank) => {
    expect(upperBoundRank(n, p)).toBe(rank);
  });

  test.each([50, 90, 95, 99])('is the smallest that meets the exact sum, for percentile %d', (p) => {
    for (let n = 460; n <= 900; n += 11) {
      const rank = upperBoundRank(n, p) ?? 0;
      expect(cdf(rank - 1, n, p / 100)).toBeGreaterThanOrEqual(0.99);
      expect(cdf(rank - 2, n, p / 100)).toBeLessThan(0.99);
    }
  });

  // 1e6 x 0.99 + 2.3263 x sqrt(1e6 x 0.99 x 0.01) = 990231.5, plus a continuity correction of one half.
  test('of a million values is close to the normal approximation', () => {
    expect(Math.abs((upperBoundRank(1_000_000, 99) ?? 0) - 990_232)).toBeLessThan(3);
  });
});

test('caches a thousand ranks', async () => {
  vi.resetModules();
  const binomial = await import('./intervals/binomial.ts');
  const binomialCdf = vi.fn(binomial.binomialCdf);
  vi.doMock('./intervals/binomial.ts', () => ({ binomialCdf }));
  try {
    const fresh = await import('./certificate.ts');
    const isFound = (n: number) => {
      binomialCdf.mockClear();
      fresh.upperBoundRank(n, 50);
      return binomialCdf.mock.calls.length > 0;
    };
    for (let n = 1; n <= 1000; n++) expect(isFound(n)).toBe(true);
    expect([isFound(1), isFound(1000)]).toEqual([false, false]);
    expect([isFound(1001), isFound(1001), isFound(1)]).toEqual([true, false, true]);
  } finally {
    vi.doUnmock('./intervals/binomial.ts');
    vi.resetModules();
  }
});

// The guarantee: at most one of a hundred bounds is below the true value, for any distribution.
test.each([
  [50, 20],
  [90, 100],
  [95, 150],
  [99, 600],
])('the bound of percentile %d from %d samples has the stated coverage', (p, n) => {
  const random = createRandom(4711);
  const rank = upperBoundRank(n, p) ?? Number.NaN;
  const truth = -Math.log(1 - p / 100);
  const cases = 4000;
  let held = 0;
  for (let index = 0; index < cases; index++) {
    const sorted = Float64Array.from({ length: n }, () => random.exponential()).sort();
    if ((sorted[rank - 1] ?? 0) >= truth) held++;
  }
  // Three standard deviations of a share of 0.99 in 4000 cases: 0.0047.
  expect(held / cases).toBeGreaterThan(0.99 - 0.0047);
});
