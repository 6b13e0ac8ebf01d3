import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rankEntries } from '../ranks.ts';
import { summarise } from '../summary.ts';
import { differ } from './intervals.ts';
import { welch } from './welch.ts';

test('intervals differ if they neither overlap nor touch', () => {
  expect(differ([1, 2], [3, 4])).toBe(true);
  expect(differ([3, 4], [1, 2])).toBe(true);
  expect(differ([1, 3], [3, 4])).toBe(false);
  expect(differ([1, 9], [3, 4])).toBe(false);
});

test('returns null for an unknown interval', () => {
  expect(differ(null, [1, 2])).toBeNull();
  expect(differ([1, 2], null)).toBeNull();
});

// 51.754..52.326 and 49.050..50.950.
test('agrees with the Welch test on two distant groups of five repetitions', () => {
  const a = summarise([52.1, 51.9, 52.4, 52.0, 51.8]);
  const b = summarise([49.0, 50.2, 51.1, 50.0, 49.7]);
  expect(differ(a.ci95, b.ci95)).toBe(true);
  expect(welch(a, b)?.p).toBeLessThan(0.05);
});

const interval = fc
  .tuple(fc.integer({ min: -20, max: 20 }), fc.integer({ min: 0, max: 20 }))
  .map(([low, width]): [number, number] => [low, low + width]);

test('two entries differ if and only if a board ranks one above the other', () => {
  fc.assert(
    fc.property(interval, interval, (a, b) => {
      const ranks = rankEntries(
        [a, b].map(([low, high]) => ({ low, high })),
        'higher',
      );
      expect(differ(a, b)).toBe(ranks[0]?.rank !== ranks[1]?.rank);
      expect(differ(b, a)).toBe(differ(a, b));
    }),
  );
});
