import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Arrivals,
  arrivalsMax,
  constantSchedule,
  type Ramp,
  rampRequests,
  rampSchedule,
  rateSchedule,
} from './arrivals.ts';

const steady: Arrivals = { burstiness: Number.POSITIVE_INFINITY, seed: 0 };

function gapsOf(times: Float64Array): number[] {
  return Array.from(times.subarray(1), (time, index) => time - (times[index] ?? 0));
}

function moments(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, variance };
}

const isOrdered = (times: Float64Array) => times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0));

describe('a rate', () => {
  // A drift of the rate would appear as a property of the server.
  test('has the exact mean, starts at 0 and never decreases, for any rate, count, burstiness and seed', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 10_000, noNaN: true }),
        fc.integer({ min: 1, max: 500 }),
        fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.double({ min: 0.1, max: 1000, noNaN: true })),
        fc.maxSafeNat(),
        (reqS, count, burstiness, seed) => {
          const times = rateSchedule(reqS, count, { burstiness, seed });
          expect(times).toHaveLength(count);
          expect(times[0]).toBe(0);
          expect(times.at(-1)).toBe(((count - 1) / reqS) * 1000);
          expect(isOrdered(times)).toBe(true);
        },
      ),
    );
  });

  test('is reproducible with its seed, and differs with another', () => {
    const of = (seed: number) => rateSchedule(100, 1000, { burstiness: 1, seed });
    expect(of(42)).toEqual(of(42));
    expect(of(42)).not.toEqual(of(43));
  });

  test('without burstiness has equal gaps', () => {
    expect([...constantSchedule(4, 5)]).toEqual([0, 250, 500, 750, 1000]);
    const gaps = gapsOf(constantSchedule(3, 10_000));
    for (const gap of gaps) expect(gap).toBeCloseTo(1000 / 3, 6);
  });

  // Relative sampling error of a variance: sqrt((kurtosis - 1) / n), with a kurtosis of 3 + 6 / shape for a gamma.
  describe.each([10, 50, 100, 500])('of %s req/s', (reqS) => {
    test.each([0.25, 0.5, 1, 2, 5])('and burstiness %s has gaps with the expected mean and deviation', (burstiness) => {
      for (const seed of [1, 2, 3]) {
        const n = 20_000;
        const { mean, variance } = moments(gapsOf(rateSchedule(reqS, n + 1, { burstiness, seed })));
        const gapMs = 1000 / reqS;
        expect(mean).toBeCloseTo(gapMs, 8);
        const expected = gapMs ** 2 / burstiness;
        expect(Math.abs(variance / expected - 1)).toBeLessThan(4 * Math.sqrt((2 + 6 / burstiness) / n));
      }
    });

    // Poisson: the variance of counts in windows equals their mean, and gaps are independent.
    test('and burstiness 1 is a Poisson process', () => {
      const n = 20_000;
      const times = rateSchedule(reqS, n, { burstiness: 1, seed: 11 });
      const windows = 1000;
      const endMs = times.at(-1) ?? 0;
      const counts = new Array<number>(windows).fill(0);
      for (const time of times) {
        const window = Math.min(windows - 1, Math.floor((time / endMs) * windows));
        counts[window] = (counts[window] ?? 0) + 1;
      }
      const { mean, variance } = moments(counts);
      expect(Math.abs(variance / mean - 1)).toBeLessThan(4 * Math.sqrt(2 / windows));
      const gaps = gapsOf(times);
      const all = moments(gaps);
      const products = gaps.slice(1).map((gap, index) => (gap - all.mean) * ((gaps[index] ?? 0) - all.mean));
      expect(Math.abs(moments(products).mean / all.variance)).toBeLessThan(4 / Math.sqrt(n));
      // 1 - 1/e of the gaps are shorter than their mean.
      const short = gaps.filter((gap) => gap < all.mean).length / gaps.length;
      expect(Math.abs(short - 0.6321)).toBeLessThan(4 * Math.sqrt(0.2325 / n));
    });
  });

  test.each([
    ['a rate of 0', 0, 10, 1],
    ['an infinite rate', Number.POSITIVE_INFINITY, 10, 1],
    ['a rate of NaN', Number.NaN, 10, 1],
    ['no requests', 1, 0, 1],
    ['a fractional number of requests', 1, 1.5, 1],
    ['more requests than the maximum', 1, arrivalsMax + 1, 1],
    ['a burstiness of 0', 1, 10, 0],
    ['a burstiness too small for any gap', 1, 2, 1e-300],
  ])('%s is rejected', (_title, reqS, count, burstiness) => {
    expect(() => rateSchedule(reqS, count, { burstiness, seed: 1 })).toThrow(RangeError);
  });
});

describe('a ramp', () => {
  const linear: Ramp = { fromReqS: 10, toReqS: 30, curve: 'linear', durationS: 10 };
  const exponential: Ramp = { ...linear, curve: 'exponential' };

  test('has as many requests as the area under its rate', () => {
    expect(rampRequests(linear)).toBe(200);
    // 20 / ln 3 x 10
    expect(rampRequests(exponential)).toBeCloseTo(182.0478, 4);
    expect(rampSchedule(linear, steady)).toHaveLength(200);
    expect(rampSchedule(exponential, steady)).toHaveLength(182);
  });

  test('matches hand-computed times', () => {
    const times = rampSchedule(linear, steady);
    // 10 t + t^2 is 75 at t = 5 and 96 at t = 6.
    expect(times[75]).toBeCloseTo(5000, 9);
    expect(times[96]).toBeCloseTo(6000, 9);
    const grown = rampSchedule(exponential, steady);
    // At half the time, the rate is the geometric mean: (sqrt(300) - 10) x 10 / ln 3 = 66.6341 requests.
    expect(grown[66]).toBeLessThan(5000);
    expect(grown[67]).toBeGreaterThan(5000);
  });

  test('can start or end at a rate of 0 if it is linear', () => {
    const up = rampSchedule({ fromReqS: 0, toReqS: 20, curve: 'linear', durationS: 10 }, steady);
    expect(up).toHaveLength(100);
    // t^2 = 25
    expect(up[25]).toBeCloseTo(5000, 9);
    const down = rampSchedule({ fromReqS: 20, toReqS: 0, curve: 'linear', durationS: 10 }, steady);
    // 20 t - t^2 = 75
    expect(down[75]).toBeCloseTo(5000, 9);
    expect(isOrdered(down)).toBe(true);
  });

  test('between equal rates is constant', () => {
    for (const curve of ['linear', 'exponential'] as const) {
      const ramp: Ramp = { fromReqS: 20, toReqS: 20, curve, durationS: 5 };
      const times = rampSchedule(ramp, steady);
      expect(times).toEqual(constantSchedule(20, 100));
    }
  });

  test('between rates that differ by a rounding error is constant', () => {
    const ramp: Ramp = { fromReqS: 200 - 1.25e-12, toReqS: 200 - 2.3e-12, curve: 'exponential', durationS: 0.65 };
    expect(rampRequests(ramp)).toBeCloseTo(130, 9);
    expect(rampSchedule(ramp, steady).at(-1)).toBeCloseTo(645, 9);
  });

  test('is ascending, starts at 0 and ends in time, for any rates and seed', () => {
    const rate = fc.double({ min: 0.1, max: 200, noNaN: true });
    const apart = fc.tuple(rate, rate);
    const close = fc.tuple(rate, fc.integer({ min: -9, max: 9 })).map(([rate, ulps]) => [rate, rate + ulps * 3e-14]);
    fc.assert(
      fc.property(
        fc.oneof(apart, close),
        fc.constantFrom('linear', 'exponential'),
        fc.double({ min: 0.1, max: 20, noNaN: true }),
        fc.constantFrom(0.5, 1, 4, Number.POSITIVE_INFINITY),
        fc.maxSafeNat(),
        ([fromReqS = 0, toReqS = 0], curve, durationS, burstiness, seed) => {
          const times = rampSchedule({ fromReqS, toReqS, curve, durationS }, { burstiness, seed });
          expect(times[0]).toBe(0);
          expect(isOrdered(times)).toBe(true);
          expect(times.at(-1)).toBeLessThanOrEqual(durationS * 1000 * (1 + 1e-12));
        },
      ),
    );
  });

  // Random gaps scaled at the wrong point would distort the ramp.
  test('with burstiness still follows its rate', () => {
    const ramp: Ramp = { fromReqS: 100, toReqS: 900, curve: 'linear', durationS: 100 };
    const times = rampSchedule(ramp, { burstiness: 1, seed: 5 });
    for (const seconds of [20, 40, 60, 80]) {
      const expected = 100 * seconds + 4 * seconds ** 2;
      const found = times.filter((time) => time < seconds * 1000).length;
      // A Poisson process with a fixed end deviates less than one without.
      expect(Math.abs(found - expected)).toBeLessThan(4 * Math.sqrt(expected));
    }
  });

  test.each<[string, Partial<Ramp>]>([
    ['two rates of 0', { fromReqS: 0, toReqS: 0 }],
    ['an exponential ramp from 0', { fromReqS: 0, curve: 'exponential' }],
    ['a rate below 0', { toReqS: -1 }],
    ['a rate of NaN', { toReqS: Number.NaN }],
    ['a duration of 0', { durationS: 0 }],
  ])('%s is rejected', (_title, part) => {
    expect(() => rampSchedule({ ...linear, ...part }, steady)).toThrow(RangeError);
  });
});
