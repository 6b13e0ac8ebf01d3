import { expect, test } from 'vitest';
import { barScaleMax, intervalBar } from './interval-bar.ts';

test('bars share the scale that the widest interval needs, and are cut at zero', () => {
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
