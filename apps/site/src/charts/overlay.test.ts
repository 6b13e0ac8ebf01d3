import { expect, test } from 'vitest';
import { gridBars } from './grid-bars.ts';
import { overlayChart } from './overlay.ts';
import { ratioChart } from './overlay-ratios.ts';
import { seriesMark } from './palette.ts';

const point = (x: number, value: number, scatter: number | null = null) => ({
  x,
  value,
  low: scatter === null ? null : value - scatter,
  high: scatter === null ? null : value + scatter,
  text: `${value} ms`,
  n: 'n 3',
  href: '/systems/sys_1',
});

const input = {
  title: 'TTFT',
  xTitle: 'Requests in flight',
  isLogX: true,
  yTitle: 'TTFT, ms',
  unit: 'ms',
  errorText: '95 % interval',
};

test('values that span decades get a marked log axis, others start at zero', () => {
  const wide = overlayChart({ ...input, series: [{ name: 'A', points: [point(1, 100), point(16, 9000)] }] });
  expect(wide.yTitle).toBe('TTFT, ms (log scale)');
  const narrow = overlayChart({ ...input, series: [{ name: 'A', points: [point(1, 100), point(16, 300)] }] });
  expect(narrow.yTitle).toBe('TTFT, ms');
  expect(narrow.yTicks[0]).toEqual({ at: narrow.plot.bottom, label: '0' });
});

test('every mark and every error bar is inside the drawing', () => {
  const points = [point(1, 100, 99.9), point(2, 5000, 4999), point(4, 9000, 100)];
  const chart = overlayChart({ ...input, series: [{ name: 'A', points }] });
  for (const { x, y, error } of chart.series[0]?.marks ?? []) {
    expect(x).toBeGreaterThanOrEqual(chart.plot.left);
    expect(x).toBeLessThanOrEqual(chart.plot.right);
    for (const at of [y, error?.from ?? y, error?.to ?? y]) {
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThanOrEqual(chart.plot.bottom);
    }
  }
});

test('the table has a row for every setting and a gap for missing values', () => {
  const chart = overlayChart({
    ...input,
    series: [
      { name: 'A', points: [point(1, 10), point(4, 20)] },
      { name: 'B', points: [point(2, 15)] },
    ],
  });
  expect(chart.table.map(({ x, cells }) => [x, cells.map((cell) => cell?.text ?? null)])).toEqual([
    ['1', ['10 ms', null]],
    ['2', [null, '15 ms']],
    ['4', ['20 ms', null]],
  ]);
});

test('ratios without an interval have no whisker, and text stays inside the drawing', () => {
  const ratio = (value: number, interval: [number, number] | null) => ({
    ratio: value,
    interval,
    text: `${value}×`,
    mark: seriesMark(0),
    name: 'B',
    href: '#point-1',
  });
  const chart = ratioChart('Ratio', 'Over A', [
    { label: 'base', sub: 'batch 32', ratios: [ratio(1.2, null), ratio(3, [0.5, 8])] },
  ]);
  const [first, second] = chart.bands[0]?.marks ?? [];
  expect(first?.whisker).toBeNull();
  expect(second?.whisker?.to).toBeLessThanOrEqual(chart.width);
  for (const mark of chart.bands[0]?.marks ?? []) expect(mark.tip.x).toBeLessThan(chart.width);
});

test('bars start at zero and keep their proportions; unmeasured values are labelled', () => {
  const bar = (value: number) => ({
    value,
    interval: null,
    text: `${value} ms`,
    short: `${value} ms`,
    basis: 'n 3',
    href: '#',
  });
  const chart = gridBars(
    'Chat',
    'ms',
    ['mean', 'p99'],
    [
      { name: 'A', bars: [bar(100), bar(200)] },
      { name: 'B', bars: [bar(50), null] },
    ],
  );
  const [a, b] = chart.groups;
  expect(a?.bars[1]?.width).toBeCloseTo(2 * (a?.bars[0]?.width ?? 0), 0);
  expect(b?.bars[0]?.width).toBeCloseTo((a?.bars[0]?.width ?? 0) / 2, 0);
  expect(b?.gaps.map(({ text }) => text)).toEqual(['p99 not measured']);
});
