import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialCdf } from './binomial.ts';

/** C(n, i) without rounding. */
function choose(n: number, i: number): bigint {
  let ways = 1n;
  for (let step = 1; step <= i; step++) ways = (ways * BigInt(n - i + step)) / BigInt(step);
  return ways;
}

/** The exact sum in integer arithmetic, for p = percent / 100, to eighteen digits. */
function exactCdf(k: number, n: number, percent: number): number {
  let sum = 0n;
  for (let i = 0; i <= k; i++)
    sum += choose(n, i) * BigInt(percent) ** BigInt(i) * BigInt(100 - percent) ** BigInt(n - i);
  return Number((sum * 10n ** 18n) / 100n ** BigInt(n)) / 1e18;
}

describe('binomialCdf', () => {
  test.each([
    [0, 1, 0.5, 0.5],
    [1, 2, 0.5, 0.75],
    [2, 4, 0.5, 11 / 16],
    [9, 10, 0.9, 1 - 0.9 ** 10],
    [298, 299, 0.99, 1 - 0.99 ** 299],
  ])('for at most %d in %d at %d is %d', (k, n, p, expected) => {
    expect(binomialCdf(k, n, p)).toBeCloseTo(expected, 12);
  });

  test('equals the exact integer sum', () => {
    const sizes = fc
      .integer({ min: 1, max: 300 })
      .chain((n) => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)));
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 99 }), ([k, n], percent) => {
        expect(binomialCdf(k, n, percent / 100)).toBeCloseTo(exactCdf(k, n, percent), 10);
      }),
    );
  });

  // Here the normal approximation with continuity correction is accurate to a few parts in ten thousand.
  test('is accurate for a million trials', () => {
    expect(binomialCdf(500_000, 1_000_000, 0.5)).toBeCloseTo(0.5003989, 6);
    expect(binomialCdf(990_232, 1_000_000, 0.99)).toBeCloseTo(0.99, 3);
  });

  test('is 0 below and 1 above', () => {
    expect(binomialCdf(-1, 10, 0.3)).toBe(0);
    expect(binomialCdf(10, 10, 0.3)).toBe(1);
    expect(binomialCdf(3, 10, 0)).toBe(1);
    expect(binomialCdf(3, 10, 1)).toBe(0);
  });

  test.each([
    [1, -1, 0.5],
    [1, 1.5, 0.5],
    [1, 2, 1.5],
    [1, 2, Number.NaN],
  ])('rejects %d in %d at %d', (k, n, p) => {
    expect(() => binomialCdf(k, n, p)).toThrow(RangeError);
  });
});
