import { expect, test } from 'vitest';
import { barScaleMax, intervalBar } from './interval-bar.ts';

test('bars share the scale of the widest interval, and are cut at zero', () => {
  const max = barScaleMax([
    { value: 100, ci95: [50, 200] },
    { value: 150, ci95: null },
  ]);
  expect(max).toBe(200);
  const { width, bar, whisker } = intervalBar(100, [-50, 200], max);
  expect(bar).toBe(width / 2);
  expect(whisker).toEqual({ from: 1, to: width - 1 });
  expect(intervalBar(0, null, 0).whisker).toBeNull();
});

test('draws an unbounded interval to the edge, and omits an invalid one', () => {
  const rows = [
    { value: 2, ci95: [1, Number.POSITIVE_INFINITY] as const },
    { value: 4, ci95: [-3, 5] as const },
  ];
  const max = barScaleMax(rows);
  expect(max).toBe(5);
  expect(intervalBar(2, [1, Number.POSITIVE_INFINITY], max).whisker?.to).toBe(intervalBar(5, null, max).bar);
  expect(intervalBar(4, [-3, 5], max).whisker?.from).toBe(intervalBar(0, null, max).bar);
  expect(intervalBar(4, [Number.NaN, 5], max).whisker).toBeNull();
});
