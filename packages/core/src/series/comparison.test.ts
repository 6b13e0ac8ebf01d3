import { describe, expect, test } from 'vitest';
import { findMetric, type Metric, metrics } from '../metrics/index.ts';
import { compareFigures, differencesOf, type Figure } from './comparison.ts';

const metric = (name: string) => {
  const found = findMetric(name);
  if (found === null) throw new Error(name);
  return found;
};
const figure = (mean: number, over: Partial<Figure> = {}): Figure => ({ mean, n: 3, sd: 1, definition: null, ...over });
const throughput = metric('output_tok_s');

test('lists only facts that differ, with null for a missing fact', () => {
  expect(
    differencesOf([
      { gpu: 'h100-sxm', gpu_count: 1, engine: 'vllm' },
      { gpu: 'h200-sxm', gpu_count: 1, engine: 'vllm', 'features.eagle': true },
    ]),
  ).toEqual([
    { field: 'gpu', values: ['h100-sxm', 'h200-sxm'] },
    { field: 'features.eagle', values: [null, true] },
  ]);
  expect(differencesOf([{ a: 1 }, { a: 1 }])).toEqual([]);
});

describe('a comparison with a baseline', () => {
  // ln 1.5 = 0.405465; cv 1/150 and 1/100: error sqrt((1/450 000 + 1/30 000)/... ) by hand below.
  test('has a ratio with an interval', () => {
    const { ratio, interval, significant, better } = compareFigures(throughput, figure(150), figure(100));
    expect(ratio).toBe(1.5);
    const error = Math.sqrt((1 / 150) ** 2 / 3 + (1 / 100) ** 2 / 3);
    const [a, b] = [(1 / 150) ** 2 / 3, (1 / 100) ** 2 / 3];
    const df = (a + b) ** 2 / (a ** 2 / 2 + b ** 2 / 2);
    expect(df).toBeCloseTo(3.48, 1);
    // At 95 %, t of 3.48 degrees of freedom is between those of 3 (3.182) and 4 (2.776).
    expect(interval?.[0]).toBeGreaterThan(1.5 * Math.exp(-3.182 * error));
    expect(interval?.[0]).toBeLessThan(1.5 * Math.exp(-2.776 * error));
    expect([significant, better]).toEqual([true, true]);
  });

  test('is not significant if the interval contains 1', () => {
    expect(compareFigures(throughput, figure(101, { sd: 3 }), figure(100, { sd: 3 }))).toMatchObject({
      ratio: 1.01,
      significant: false,
      better: true,
    });
  });

  test('of a latency is better if it is lower', () => {
    expect(compareFigures(metric('ttft_ms_mean'), figure(80), figure(100)).better).toBe(true);
    expect(compareFigures(metric('ttft_ms_mean'), figure(100), figure(100)).better).toBeNull();
  });

  test('of a single measurement has a ratio without an interval, and a reason', () => {
    expect(compareFigures(throughput, figure(150, { n: 1, sd: null }), figure(100))).toMatchObject({
      ratio: 1.5,
      interval: null,
      significant: null,
      reason: 'No interval: n is 1 or not stated.',
    });
  });

  test.each([
    [figure(0), figure(5)],
    [figure(5), figure(0)],
  ])('with zero has no ratio', (one, other) => {
    expect(compareFigures(throughput, one, other)).toMatchObject({
      ratio: null,
      reason: expect.stringContaining('zero'),
    });
  });

  test('with another formula has no ratio', () => {
    const groupsOf = (one: Metric) => new Set(one.family.definitions.map(({ group }) => group));
    const several = metrics.find((one) => groupsOf(one).size > 1);
    const [first, second] = [...Map.groupBy(several?.family.definitions ?? [], ({ group }) => group).values()];
    const by = (ids: typeof first) => figure(5, { definition: ids?.[0]?.id ?? null });
    expect(compareFigures(several ?? throughput, by(second), by(first))).toMatchObject({
      ratio: null,
      reason: expect.stringContaining('formulas'),
    });
  });
});
