import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PointSample, pointStatistics } from './point-statistics.ts';
import { summarise } from './summary.ts';

const single = (value: number): PointSample => ({ value, repeats: null });
const summary = (value: number, n: number | null, sd: number | null): PointSample => ({
  value,
  repeats: { n, sd, samples: null },
});
const listed = (...samples: number[]): PointSample => ({
  value: summarise(samples).mean,
  repeats: { n: samples.length, sd: null, samples },
});

test('uses single results as samples', () => {
  const statistics = pointStatistics([100, 101, 99, 100.5, 87].map(single));
  expect(statistics).toMatchObject({ n: 5, results: 5, mean: 97.5, median: 100, basis: 'results', stability: 'noisy' });
  expect(statistics.sd).toBeCloseTo(5.916, 3);
  expect(statistics.ci95?.[0]).toBeCloseTo(90.15, 2);
  expect(statistics.ci95?.[1]).toBeCloseTo(104.85, 2);
  expect(statistics.outliers).toMatchObject([
    { index: 4, value: 87, tests: [{ test: 'grubbs' }, { test: 'modified_z' }] },
  ]);
});

test('has no interval for a single result', () => {
  const statistics = pointStatistics([single(3)]);
  expect(statistics).toMatchObject({ n: 1, results: 1, mean: 3, sd: null, ci95: null, cv: null, stability: null });
});

test('counts stated samples individually, together with single results', () => {
  const statistics = pointStatistics([listed(10, 12, 14), single(16)]);
  expect(statistics).toMatchObject({ n: 4, results: 2, mean: 13, median: 13, min: 10, max: 16, basis: 'samples' });
});

// llama-bench prints only the mean and spread of its repetitions. Two files of one point must combine as summaries.
test('pools summaries with n and sd', () => {
  const statistics = pointStatistics([summary(100, 5, 2), summary(104, 3, 1)]);
  expect(statistics).toMatchObject({ n: 8, results: 2, mean: 101.5, median: null, min: null, max: null, outliers: [] });
  // Within: 4 x 2^2 + 2 x 1^2 = 18. Between: 5 x 1.5^2 + 3 x 2.5^2 = 30.
  expect(statistics.sd).toBeCloseTo(Math.sqrt(48 / 7), 12);
  expect(statistics.basis).toBe('pooled');
  expect(statistics.ci95?.[0]).toBeLessThan(101.5);
});

test('gives an interval for a single summary with n', () => {
  const statistics = pointStatistics([summary(278.95, 5, 0.5)]);
  expect(statistics).toMatchObject({ n: 5, results: 1, mean: 278.95, basis: 'pooled', stability: 'tight' });
  expect(statistics.sd).toBeCloseTo(0.5, 12);
  expect((statistics.ci95?.[1] ?? 0) - 278.95).toBeCloseTo((2.776445 * 0.5) / Math.sqrt(5), 5);
});

test('gives no interval for a single summary of unknown n', () => {
  expect(pointStatistics([summary(193.3, null, 0.4)])).toEqual({
    n: null,
    results: 1,
    mean: 193.3,
    sd: 0.4,
    median: null,
    ci95: null,
    cv: 0.4 / 193.3,
    stability: 'tight',
    min: null,
    max: null,
    outliers: [],
    basis: 'tool_summary',
  });
});

test('counts a summary of unknown n as one value among several results', () => {
  expect(pointStatistics([summary(10, null, 1), summary(12, 5, 1), single(14)])).toMatchObject({
    n: 3,
    results: 3,
    mean: 12,
    sd: 2,
    basis: 'results',
  });
});

test('treats a summary of one repetition as a single value', () => {
  expect(pointStatistics([summary(5, 1, null), single(7)])).toMatchObject({ n: 2, mean: 6, basis: 'results' });
});

test('rejects a point without results', () => {
  expect(() => pointStatistics([])).toThrow(RangeError);
});

const group = fc.array(fc.double({ min: 1, max: 1000, noNaN: true }), { minLength: 2, maxLength: 8 });

test('pools summaries to the moments of all their samples', () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 5 }), (groups) => {
      const pooled = pointStatistics(
        groups.map((values) => {
          const { n, mean, sd } = summarise(values);
          return summary(mean, n, sd);
        }),
      );
      const all = summarise(groups.flat());
      expect(pooled.n).toBe(all.n);
      expect(pooled.mean).toBeCloseTo(all.mean, 8);
      expect(pooled.sd).toBeCloseTo(all.sd ?? Number.NaN, 6);
      expect(pointStatistics(groups.map((values) => listed(...values))).mean).toBeCloseTo(all.mean, 8);
    }),
  );
});

const fact = fc.option(fc.double({ min: 0, max: 100, noNaN: true }));
const anySample: fc.Arbitrary<PointSample> = fc.record({
  value: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  repeats: fc.option(
    fc.record({
      n: fc.option(fc.integer({ min: 0, max: 50 })),
      sd: fact,
      samples: fc.option(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 6 })),
    }),
  ),
});

test('gives an interval that contains the mean for any mixture of results', () => {
  fc.assert(
    fc.property(fc.array(anySample, { minLength: 1, maxLength: 6 }), (samples) => {
      const { mean, ci95, results, n } = pointStatistics(samples);
      expect(Number.isFinite(mean)).toBe(true);
      expect(results).toBe(samples.length);
      if (ci95 !== null) {
        expect(n).not.toBeNull();
        expect(ci95[0]).toBeLessThanOrEqual(mean);
        expect(ci95[1]).toBeGreaterThanOrEqual(mean);
      }
    }),
  );
});
