import { expect, test } from 'vitest';
import { usdPerMtokOutput } from './cost.ts';

test.each([
  [2500, 1, 0.2778],
  [20_000, 8, 0.2778],
  [10_000, 8, 0.5556],
])('%d tok/s of %d GPUs at $2.50 an hour each cost $%d per million', (outputTokS, gpuCount, usd) => {
  expect(usdPerMtokOutput({ usdPerGpuHour: 2.5, gpuCount, outputTokS })).toBeCloseTo(usd, 4);
});

test('free hours are free, and no tokens have no price', () => {
  expect(usdPerMtokOutput({ usdPerGpuHour: 0, gpuCount: 1, outputTokS: 100 })).toBe(0);
  expect(usdPerMtokOutput({ usdPerGpuHour: 2.5, gpuCount: 1, outputTokS: 0 })).toBeNull();
});
