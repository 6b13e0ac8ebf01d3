import { expect, test } from 'vitest';
import { percentileOf } from '../measure/records/percentiles.ts';
import { createRandom } from '../pacing/random.ts';
import { RunningDistribution, supportedPercentiles } from './running-distribution.ts';

test('percentiles are within 1 % of the exact ones', () => {
  const random = createRandom(7);
  const values = Float64Array.from({ length: 5000 }, () => 20 * Math.exp(2 * random.next())).sort();
  const running = new RunningDistribution();
  for (const value of values.toReversed()) running.add(value);
  for (const p of [50, 90, 95, 99]) {
    const exact = percentileOf(values, p);
    expect(Math.abs(running.percentile(p) / exact - 1)).toBeLessThan(0.01);
  }
});

test('shows only percentiles that the samples support', () => {
  expect([4, 5, 28, 29, 59, 298, 299].map((n) => supportedPercentiles(n).at(-1))).toEqual([
    ...[undefined, 50, 50, 90, 95, 95, 99],
  ]);
});
