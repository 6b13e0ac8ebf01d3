import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markBests, thinned } from './best-so-far.ts';

const series = (...values: number[]) =>
  values.map((value, at) => ({ day: `2026-01-${String(at + 1).padStart(2, '0')}`, value }));

describe('the best so far', () => {
  test('is each value above all earlier ones', () => {
    const marked = markBests(series(5, 4, 5, 7, 6), 'higher');
    expect(marked.map(({ isBest }) => isBest)).toEqual([true, false, false, true, false]);
  });

  test('is each value below all earlier ones if lower is better', () => {
    const marked = markBests(series(5, 4, 5, 7, 3), 'lower');
    expect(marked.map(({ isBest }) => isBest)).toEqual([true, true, false, false, true]);
  });

  test('uses the day, regardless of the order of values', () => {
    const [first, second, third] = series(1, 2, 3);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three values');
    expect(markBests([third, first, second], 'higher').map(({ value, isBest }) => [value, isBest])).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  test('ends at the best of all values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 27 }),
        fc.constantFrom('higher' as const, 'lower' as const),
        (values, better) => {
          const last = markBests(series(...values), better).findLast(({ isBest }) => isBest);
          expect(last?.value).toBe(better === 'higher' ? Math.max(...values) : Math.min(...values));
        },
      ),
    );
  });
});

describe('a long series', () => {
  test('keeps its best and its newest values', () => {
    const kept = thinned(markBests(series(5, 1, 2, 6, 3, 4), 'higher'), 4);
    expect(kept.map(({ value }) => value)).toEqual([5, 6, 3, 4]);
  });

  test('keeps all best values, even above the maximum', () => {
    expect(thinned(markBests(series(1, 2, 3, 0), 'higher'), 2).map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  test('is unchanged if it is short', () => {
    expect(thinned(markBests(series(3, 2, 1), 'higher'), 3)).toHaveLength(3);
  });
});
