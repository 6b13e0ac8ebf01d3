import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assumedInterval, mergePooledCv, pooledCv } from './pooled-cv.ts';
import { confidenceInterval95 } from './summary.ts';

describe('the pooled coefficient of variation', () => {
  test('weights each group by its degrees of freedom', () => {
    // (1 x 0.03^2 + 4 x 0.01^2) / 5 = 0.00026
    const pooled = pooledCv([
      { n: 2, cv: 0.03 },
      { n: 5, cv: 0.01 },
    ]);
    expect(pooled).toMatchObject({ df: 5, groups: 2 });
    expect(pooled?.cv).toBeCloseTo(Math.sqrt(0.00026), 12);
  });

  test('includes repetitions without deviation, and excludes single results', () => {
    const groups = [
      { n: 2, cv: 0 },
      { n: 2, cv: 0.02 },
      { n: 1, cv: null },
      { n: 9, cv: null },
    ];
    expect(pooledCv(groups)).toEqual({ cv: Math.sqrt(0.0002), df: 2, groups: 2 });
  });

  test('is null without repetitions', () => {
    expect(pooledCv([])).toBeNull();
    expect(pooledCv([{ n: 1, cv: null }])).toBeNull();
  });

  const groups = fc.array(
    fc.record({ n: fc.integer({ min: 2, max: 20 }), cv: fc.double({ min: 1e-6, max: 1, noNaN: true }) }),
    { minLength: 1, maxLength: 20 },
  );

  test('is between the smallest and the largest', () => {
    fc.assert(
      fc.property(groups, (given) => {
        const cvs = given.map(({ cv }) => cv);
        const { cv } = pooledCv(given) ?? { cv: Number.NaN };
        expect(cv).toBeGreaterThanOrEqual(Math.min(...cvs) * (1 - 1e-12));
        expect(cv).toBeLessThanOrEqual(Math.max(...cvs) * (1 + 1e-12));
      }),
    );
  });
});

test('merges pooled values like their groups', () => {
  const groups = [
    { n: 2, cv: 0.03 },
    { n: 5, cv: 0.01 },
    { n: 3, cv: 0.2 },
  ];
  const parts = [pooledCv(groups.slice(0, 2)), pooledCv(groups.slice(2))].filter((part) => part !== null);
  const whole = pooledCv(groups);
  const { cv, ...rest } = mergePooledCv(parts) ?? { cv: Number.NaN };
  expect(rest).toEqual({ df: 7, groups: 3 });
  expect(cv).toBeCloseTo(whole?.cv ?? 0, 12);
  expect(mergePooledCv([])).toBeNull();
});

describe('the assumed interval', () => {
  test('is the value plus and minus t times the deviation', () => {
    // t of 4 degrees of freedom is 2.776445: 200 x (1 -+ 0.02776445)
    const [low, high] = assumedInterval(200, { cv: 0.01, df: 4, groups: 2 });
    expect(low).toBeCloseTo(194.44711, 5);
    expect(high).toBeCloseTo(205.55289, 5);
  });

  test('is wide for two runs, and approaches the normal interval', () => {
    expect(assumedInterval(100, { cv: 0.01, df: 1, groups: 1 })[1]).toBeCloseTo(112.7062, 4);
    expect(assumedInterval(100, { cv: 0.01, df: 100_000, groups: 9 })[1]).toBeCloseTo(101.96, 3);
  });

  test('is the value itself without deviation', () => {
    expect(assumedInterval(100, { cv: 0, df: 3, groups: 1 })).toEqual([100, 100]);
  });

  // Rates and latencies are never negative, regardless of scatter.
  test('does not go below 0', () => {
    expect(assumedInterval(100, { cv: 0.5, df: 1, groups: 1 })[0]).toBe(0);
    expect(assumedInterval(0, { cv: 0.5, df: 1, groups: 1 })).toEqual([0, 0]);
  });

  test('is that of the mean of one repetition with the pooled deviation', () => {
    const args = [
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-6, max: 0.05, noNaN: true }),
      fc.integer({ min: 2, max: 500 }),
    ] as const;
    fc.assert(
      fc.property(...args, (value, cv, df) => {
        const [low, high] = assumedInterval(value, { cv, df, groups: 1 });
        // With n repetitions and n - 1 degrees of freedom, the interval is sqrt(n) times narrower.
        const [, top] = confidenceInterval95(value, cv * value * Math.sqrt(df + 1), df + 1) ?? [0, 0];
        expect(high / top).toBeCloseTo(1, 9);
        expect((low + high) / 2 / value).toBeCloseTo(low === 0 ? high / value / 2 : 1, 9);
      }),
    );
  });
});
