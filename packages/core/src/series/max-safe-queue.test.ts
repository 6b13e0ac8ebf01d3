import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxSafeQueue, type QueuePoint } from './max-safe-queue.ts';

const pointsOf = (...pairs: [depth: number, ttftS: number][]): QueuePoint[] =>
  pairs.map(([depth, ttftS]) => ({ depth, ttftS }));

const sweep = pointsOf([1, 0.12], [8, 0.2], [32, 0.55], [64, 0.5], [128, 2.95], [256, 5]);

describe('a sweep of six depths', () => {
  test('is interpolated linearly: 128 + 0.05 x 128 / 2.05 = 131.12', () => {
    expect(maxSafeQueue(sweep, 3)).toEqual({
      answer: 131,
      bound: 'estimate',
      statistic: 'mean',
      text: '131',
      cleaned: pointsOf([1, 0.12], [8, 0.2], [32, 0.55], [64, 0.55], [128, 2.95], [256, 5]),
      between: pointsOf([128, 2.95], [256, 5]),
    });
  });

  // 64 + 0.45 x 64 / 2.4 = 76. The dip at 64 does not increase the estimate, and the page shows it as measured.
  test('is interpolated between cleaned points, and lists the measured ones', () => {
    expect(maxSafeQueue(sweep, 1)).toMatchObject({ answer: 76, between: pointsOf([64, 0.5], [128, 2.95]) });
  });

  test('is limited to the measured range', () => {
    expect(maxSafeQueue(sweep, 6)).toMatchObject({ answer: 256, bound: 'at_least', text: '>= 256', between: null });
    expect(maxSafeQueue(sweep, 0.1)).toMatchObject({ answer: null, bound: 'below', text: '< 1', between: null });
  });

  test('includes a point that meets the limit exactly', () => {
    expect(maxSafeQueue(sweep, 0.2)).toMatchObject({ answer: 8, bound: 'estimate' });
    expect(maxSafeQueue(sweep, 0.12)).toMatchObject({ answer: 1, bound: 'estimate' });
    expect(maxSafeQueue(sweep, 5)).toMatchObject({ answer: 256, bound: 'at_least' });
    expect(maxSafeQueue(sweep, 4.999)).toMatchObject({ answer: 255, bound: 'estimate' });
    // The first adjacent pair around the limit is 64, after the running maximum, and 128.
    expect(maxSafeQueue(sweep, 0.55)).toMatchObject({ answer: 64, bound: 'estimate' });
  });
});

describe('a safe queue of 131 within 3 s, with 8.25 s at 256', () => {
  const at128 = (ttftS: number) => maxSafeQueue(pointsOf([128, ttftS], [256, 8.25]), 3)?.answer;

  test('requires between 2.8306 s, exclusive, and 2.8740 s at 128', () => {
    expect(at128(2.8306)).toBe(132);
    expect(at128(2.8307)).toBe(131);
    expect(at128(2.874)).toBe(131);
    expect(at128(2.8741)).toBe(130);
  });

  test('results from any value in that range', () => {
    fc.assert(
      fc.property(fc.double({ min: 2.8307, max: 2.874, noNaN: true }), (ttftS) => {
        expect(at128(ttftS)).toBe(131);
      }),
    );
  });
});

test('does not interpolate a single point', () => {
  const lone = pointsOf([32, 0.5]);
  expect(maxSafeQueue(lone, 0.5)).toMatchObject({ answer: 32, bound: 'at_least', text: '>= 32' });
  expect(maxSafeQueue(lone, 0.4)).toMatchObject({ answer: null, bound: 'below', text: '< 32' });
});

test('uses the slowest of several measurements at one depth', () => {
  const twice = pointsOf([1, 0.1], [8, 0.9], [8, 0.2]);
  expect(maxSafeQueue(twice, 0.5)).toMatchObject({ answer: 4, cleaned: pointsOf([1, 0.1], [8, 0.9]) });
  expect(maxSafeQueue([...twice].reverse(), 0.5)).toEqual(maxSafeQueue(twice, 0.5));
});

test('returns null without points, and rejects values that are not finite', () => {
  expect(maxSafeQueue([], 3)).toBeNull();
  expect(() => maxSafeQueue(sweep, Number.NaN)).toThrow(RangeError);
  expect(() => maxSafeQueue(pointsOf([1, Number.NaN]), 3)).toThrow(RangeError);
});

const points = fc.uniqueArray(
  fc.record({
    depth: fc.integer({ min: 1, max: 4096 }),
    ttftS: fc.integer({ min: 1, max: 9000 }).map((ms) => ms / 1000),
  }),
  { minLength: 1, maxLength: 12, selector: ({ depth }) => depth },
);
const limit = fc.integer({ min: 1, max: 9000 }).map((ms) => ms / 1000);

test('is between a point within the limit and the next one over it', () => {
  fc.assert(
    fc.property(points, limit, (given, limitS) => {
      const found = maxSafeQueue(given, limitS);
      if (found?.bound !== 'estimate') return;
      const [from, to] = found.between ?? [];
      expect(found.answer).toBeGreaterThanOrEqual(from?.depth ?? Number.NaN);
      expect(found.answer).toBeLessThan(to?.depth ?? Number.NaN);
      expect(from?.ttftS).toBeLessThanOrEqual(limitS);
      expect(to?.ttftS).toBeGreaterThan(limitS);
    }),
  );
});

test('does not fall with a higher limit, for any order of points', () => {
  const place = (found: ReturnType<typeof maxSafeQueue>) => found?.answer ?? 0;
  fc.assert(
    fc.property(points, limit, limit, (given, a, b) => {
      const low = maxSafeQueue(given, Math.min(a, b));
      const high = maxSafeQueue([...given].reverse(), Math.max(a, b));
      expect(place(low)).toBeLessThanOrEqual(place(high));
    }),
  );
});
