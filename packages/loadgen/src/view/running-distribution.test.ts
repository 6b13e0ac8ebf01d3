import { expect, test } from 'vitest';
import { percentileOf } from '../measure/records/percentiles.ts';
import { createRandom } from '../pacing/random.ts';
import { RunningDistribution } from './running-distribution.ts';

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
