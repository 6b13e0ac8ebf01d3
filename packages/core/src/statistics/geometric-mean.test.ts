import { expect, test } from 'vitest';
import { geometricMean } from './geometric-mean.ts';

test('is 4 for 2 and 8', () => {
  expect(geometricMean([2, 8])).toBeCloseTo(4, 12);
  expect(geometricMean([5, 0])).toBe(0);
  expect(geometricMean([])).toBeNull();
});

test('does not overflow', () => {
  expect((geometricMean([1e300, 1e300, 1e300]) ?? 0) / 1e300).toBeCloseTo(1, 9);
});

test.each([[[-1, 2]], [[Number.NaN]]])('rejects %j', (values) => {
  expect(() => geometricMean(values)).toThrow(RangeError);
});
