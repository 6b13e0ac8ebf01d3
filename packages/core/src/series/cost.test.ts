import { expect, test } from 'vitest';
import { usdPerMtokOutput } from './cost.ts';

test.each([
  [2500, 1, 0.2778],
  [20_000, 8, 0.2778],
  [10_000, 8, 0.5556],
])('for %d tok/s of %d GPUs at $2.50 per hour each is $%d per million tokens', (outputTokS, gpuCount, usd) => {
  expect(usdPerMtokOutput({ usdPerGpuHour: 2.5, gpuCount, outputTokS })).toBeCloseTo(usd, 4);
});

test('is 0 for a price of 0, and null without tokens', () => {
  expect(usdPerMtokOutput({ usdPerGpuHour: 0, gpuCount: 1, outputTokS: 100 })).toBe(0);
  expect(usdPerMtokOutput({ usdPerGpuHour: 2.5, gpuCount: 1, outputTokS: 0 })).toBeNull();
});
