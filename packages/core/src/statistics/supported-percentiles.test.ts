import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleFloor } from './certificate.ts';
import { nextPercentile, shownPercentiles, supportedPercentiles } from './supported-percentiles.ts';

test('shows only percentiles that the samples support', () => {
  expect([0, 4, 5, 28, 29, 58, 59, 298, 299].map((n) => supportedPercentiles(n).at(-1))).toEqual([
    ...[undefined, undefined, 50, 50, 90, 90, 95, 95, 99],
  ]);
});

test('names the next percentile and the samples that it needs', () => {
  expect([0, 5, 29, 59, 299].map(nextPercentile)).toEqual([
    { percentile: 50, samples: 5 },
    { percentile: 90, samples: 29 },
    { percentile: 95, samples: 59 },
    { percentile: 99, samples: 299 },
    null,
  ]);
});

test('every shown percentile is supported exactly from its number of samples on', () => {
  fc.assert(
    fc.property(fc.nat(1000), (n) => {
      const supported = supportedPercentiles(n);
      expect(supported).toEqual(shownPercentiles.slice(0, supported.length));
      for (const p of shownPercentiles) expect(supported.includes(p)).toBe(n >= sampleFloor(p));
      expect(nextPercentile(n)?.percentile).toBe(shownPercentiles[supported.length]);
    }),
  );
});
