import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Interval, rankEntries } from './ranks.ts';

const entries: Interval[] = [
  { low: 99.9, high: 102.5 },
  { low: 98.9, high: 101.1 },
  { low: 96.2, high: 97.8 },
  { low: 92.0, high: 101.8 },
  { low: 89.0, high: 91.0 },
];

// The fourth entry has a wide interval and ties with the best, because its interval does not exclude it.
test('ties entries with overlapping intervals', () => {
  const ranks = rankEntries(entries, 'higher');
  expect(ranks.map(({ rank }) => rank)).toEqual([1, 1, 3, 1, 5]);
  expect(ranks.map(({ spread }) => spread)).toEqual([
    [1, 3],
    [1, 3],
    [3, 4],
    [1, 4],
    [5, 5],
  ]);
});

test('reverses the order if lower is better', () => {
  expect(rankEntries(entries, 'lower').map(({ rank }) => rank)).toEqual([3, 3, 2, 2, 1]);
});

test('ties entries with touching intervals', () => {
  const touching = [
    { low: 1, high: 2 },
    { low: 2, high: 3 },
  ];
  expect(rankEntries(touching, 'higher').map(({ rank }) => rank)).toEqual([1, 1]);
  expect(rankEntries([], 'higher')).toEqual([]);
});

const interval = fc
  .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 20 }))
  .map(([low, width]) => ({ low, high: low + width }));

test.each(['lower', 'higher'] as const)('agrees with a comparison of every pair, %s is better', (direction) => {
  const ahead = (a: Interval, b: Interval) => (direction === 'higher' ? a.low > b.high : a.high < b.low);
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 40 }), (list) => {
      const expected = list.map((own) => {
        const rank = 1 + list.filter((other) => ahead(other, own)).length;
        return { rank, spread: [rank, list.filter((other) => !ahead(own, other)).length] };
      });
      expect(rankEntries(list, direction)).toEqual(expected);
    }),
  );
});
