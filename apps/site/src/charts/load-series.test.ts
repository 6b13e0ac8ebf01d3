import { metrics } from '@inferboard/core/metrics/index';
import { expect, test } from 'vitest';
import { barScaleMax, intervalBar } from './interval-bar.ts';
import { loadSeriesChart } from './load-series.ts';
import { seriesMark } from './palette.ts';

const metricOf = (name: string) => {
  const metric = metrics.find((candidate) => candidate.name === name);
  if (metric === undefined) throw new Error(name);
  return metric;
};
const ttft = metricOf('ttft_ms_mean');
const at = (level: number, value: number, sd: number | null = null) => ({
  level,
  value,
  sd,
  n: sd === null ? null : 3,
});

test('values that span decades get a marked log axis, others start at zero', () => {
  const wide = loadSeriesChart(ttft, 'burst', [{ name: 'rag', values: [at(1, 100), at(16, 900), at(256, 9000)] }]);
  expect(wide.yTitle).toBe('TTFT, ms (log scale)');
  const narrow = loadSeriesChart(ttft, 'burst', [{ name: 'rag', values: [at(1, 100), at(16, 200), at(256, 300)] }]);
  expect(narrow.yTitle).toBe('TTFT, ms');
  expect(narrow.yTicks[0]).toEqual({ at: narrow.plot.bottom, label: '0' });
});

test('every mark lies inside the plot, scatter included', () => {
  const values = [at(1, 100, 90), at(2, 5000, 4999), at(4, 9000, 100)];
  const chart = loadSeriesChart(ttft, 'concurrency', [{ name: 'chatbot', values }]);
  const ys = chart.series.flatMap(({ points }) =>
    points.flatMap(({ y, error }) => [y, error?.from ?? y, error?.to ?? y]),
  );
  expect(Math.min(...ys)).toBeGreaterThanOrEqual(chart.plot.top);
  expect(Math.max(...ys)).toBeLessThanOrEqual(chart.plot.bottom);
});

// A zero is a measurement: a logarithm has no place for it.
test('a series with a zero stays on a linear axis', () => {
  const chart = loadSeriesChart(ttft, 'rate', [{ name: 'a', values: [at(1, 0), at(2, 10), at(3, 1000)] }]);
  expect(chart.yTitle).toBe('TTFT, ms');
  expect(chart.series[0]?.path).not.toContain('NaN');
});

test('the table holds what the chart shows, and gaps where a series has no such load', () => {
  const chart = loadSeriesChart(ttft, 'concurrency', [
    { name: 'chatbot', values: [at(1, 211, 3), at(2, 220, 3), at(4, 240, 3)] },
    { name: 'rag', values: [at(2, 400), at(4, 500), at(8, 900)] },
  ]);
  expect(chart.table.map(({ level }) => level)).toEqual(['1', '2', '4', '8']);
  expect(chart.table[0]?.cells).toEqual([{ value: '211.00', sd: '± 3.00', n: 'n 3' }, null]);
  expect(chart.table[3]?.cells).toEqual([null, { value: '900', sd: null, n: 'n not stated' }]);
});

test('no two of the first 49 series look alike', () => {
  const looks = Array.from({ length: 49 }, (_, index) => JSON.stringify(seriesMark(index)));
  expect(new Set(looks).size).toBe(49);
});

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
