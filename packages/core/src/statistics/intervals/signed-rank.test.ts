import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signedRankInterval, signedRankLeast } from './signed-rank.ts';

// Hollander and Wolfe, table 3.1: changes of the depression scale of nine patients.
const depression = [-0.952, 0.147, -1.022, -0.43, -0.62, -0.59, -0.49, 0.08, -0.01];

test('gives the published estimate and interval', () => {
  const found = signedRankInterval(depression, 0.95);
  expect(found?.centre).toBeCloseTo(-0.46, 9);
  expect(found?.low).toBeCloseTo(-0.786, 9);
  expect(found?.high).toBeCloseTo(-0.01, 9);
});

test('needs eight values at 99 %, and six at 95 %', () => {
  expect([signedRankLeast(0.99), signedRankLeast(0.95)]).toEqual([8, 6]);
  const values = [1, 2, 3, 4, 5, 6, 7, 8];
  // With the fewest values, the interval is the range.
  expect(signedRankInterval(values, 0.99)).toEqual({ centre: 4.5, low: 1, high: 8 });
  expect(signedRankInterval(values.slice(1), 0.99)).toBeNull();
});

test.each([8, 9, 12])('excludes the centre of %d symmetric values with at most the stated probability', (n) => {
  // Every pattern of signs is equally probable.
  let excluded = 0;
  for (let pattern = 0; pattern < 2 ** n; pattern++) {
    const values = Array.from({ length: n }, (_, at) => ((pattern >> at) & 1 ? 1 : -1) * (1 + at + 0.1 * at * at));
    const found = signedRankInterval(values, 0.99);
    if (found !== null && (found.low > 0 || found.high < 0)) excluded++;
  }
  expect(excluded / 2 ** n).toBeLessThanOrEqual(0.01);
  expect(excluded).toBeGreaterThan(0);
});

test('moves and mirrors with its values', () => {
  const value = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(fc.array(value, { minLength: 8, maxLength: 40 }), value, (values, shift) => {
      const found = signedRankInterval(values, 0.99);
      if (found === null) throw new Error('no interval');
      expect(found.low).toBeLessThanOrEqual(found.centre);
      expect(found.high).toBeGreaterThanOrEqual(found.centre);
      const moved = signedRankInterval(
        values.map((one) => one + shift),
        0.99,
      );
      expect(moved).toEqual({ centre: found.centre + shift, low: found.low + shift, high: found.high + shift });
      const mirrored = signedRankInterval(
        values.map((one) => 0 - one),
        0.99,
      );
      expect([mirrored?.low, mirrored?.high].map((end) => 0 - (end ?? Number.NaN))).toEqual(
        [found.high, found.low].map((end) => 0 + end),
      );
    }),
  );
});

test('one value far from the others changes little', () => {
  const calm = Array.from({ length: 16 }, (_, at) => 1.02 + 0.001 * at);
  const found = signedRankInterval([...calm.slice(1), 50], 0.99);
  expect(found?.low).toBeGreaterThan(1.02);
  expect(found?.high).toBeLessThan(1.04);
});
