import { expect, test } from 'vitest';
import { type ChartSeries, type ChartValue, type LineChartInput, lineChart } from './line-chart.ts';
import { seriesMark } from './palette.ts';

const at = (level: number, value: number, interval: ChartValue['interval'] = null): ChartValue => ({
  level,
  value,
  interval,
  basis: interval === null ? 'n 1' : 'n 3',
});

const chartOf = (series: readonly ChartSeries[], over: Partial<LineChartInput> = {}) =>
  lineChart({
    title: 'TTFT by load',
    x: { title: 'Requests in flight', text: (level) => `${level} concurrent` },
    y: { title: 'TTFT', unit: 'ms', text: (value) => `${value} ms`, tick: String },
    series,
    ...over,
  });

const wide = [at(1, 100), at(16, 900), at(256, 9000)];

test('values that span decades get a marked log axis, others start at zero', () => {
  expect(chartOf([{ name: 'rag', values: wide }]).yTitle).toBe('TTFT, ms (log scale)');
  const narrow = chartOf([{ name: 'rag', values: [at(1, 100), at(16, 200), at(256, 300)] }]);
  expect(narrow.yTitle).toBe('TTFT, ms');
  expect(narrow.yTicks[0]).toEqual({ at: narrow.plot.bottom, label: '0' });
  expect(narrow.xTitle).toBe('Requests in flight (log scale)');
});

// Without the threshold line, readers would have to guess what the sentence refers to.
test('a line is inside the plot even if no value is near it', () => {
  for (const value of [0.5, 150, 90_000]) {
    const chart = chartOf([{ name: 'rag', values: wide }], { lines: [{ value, text: 'limit' }] });
    expect(chart.lines[0]?.y).toBeGreaterThanOrEqual(chart.plot.top);
    expect(chart.lines[0]?.y).toBeLessThanOrEqual(chart.plot.bottom);
  }
});

test('overlapping labels of lines are moved apart', () => {
  const { lines } = chartOf([{ name: 'rag', values: wide }], {
    lines: [
      { value: 1000, text: 'a' },
      { value: 1010, text: 'b' },
      { value: 1020, text: 'c' },
    ],
  });
  const labels = lines.map(({ labelY }) => labelY).toSorted((a, b) => a - b);
  for (const [index, y] of labels.slice(1).entries()) expect(y - (labels[index] ?? 0)).toBeGreaterThanOrEqual(14);
});

test('every mark is inside the plot, including intervals below zero', () => {
  const values = [at(1, 100, [-20, 220]), at(2, 5000, [1, 9999]), at(4, 9000, [8900, 9100])];
  const chart = chartOf([{ name: 'chatbot', values }]);
  const ys = chart.series.flatMap(({ points }) =>
    points.flatMap(({ y, error }) => [y, error?.from ?? y, error?.to ?? y]),
  );
  expect(ys.every(Number.isFinite)).toBe(true);
  expect(Math.min(...ys)).toBeGreaterThanOrEqual(chart.plot.top);
  expect(Math.max(...ys)).toBeLessThanOrEqual(chart.plot.bottom);
  expect(chart.notes).toEqual(['Bars are 95 % intervals.']);
});

// Zero is a valid measurement that a logarithmic axis cannot show.
test('a series with a zero stays on a linear axis', () => {
  const chart = chartOf([{ name: 'a', values: [at(1, 0), at(2, 10), at(3, 1000)] }]);
  expect(chart.yTitle).toBe('TTFT, ms');
  expect(chart.series[0]?.path).not.toContain('NaN');
});

test('the table has the values of the chart, and gaps for missing loads', () => {
  const { table } = chartOf([
    { name: 'chatbot', values: [at(1, 211, [208, 214]), at(2, 220), at(4, 240)] },
    { name: 'rag', values: [at(8, 900), at(2, 400), at(4, 500)] },
  ]);
  expect(table.columns).toEqual(['chatbot', 'rag']);
  expect(table.rows.map(({ text }) => text)).toEqual(['1 concurrent', '2 concurrent', '4 concurrent', '8 concurrent']);
  expect(table.rows[0]?.cells).toEqual([
    { value: '211 ms', of: null, interval: '208 to 214 ms', basis: 'n 3', href: null },
    null,
  ]);
  expect(table.rows[3]?.cells[1]?.value).toBe('900 ms');
});

test('each load is one stop that lists all its values, and the stops cover the plot', () => {
  const chart = chartOf([
    { name: 'chatbot', values: [at(1, 211), at(2, 220)] },
    { name: 'rag', values: [at(2, 400)] },
  ]);
  expect(chart.stops.map(({ label }) => label)).toEqual([
    '1 concurrent: chatbot 211 ms, n 1',
    '2 concurrent: chatbot 220 ms, n 1; rag 400 ms, n 1',
  ]);
  const width = chart.stops.reduce((sum, stop) => sum + stop.width, 0);
  expect(width).toBeCloseTo(chart.plot.right - chart.plot.left, 0);
});

test('a bound has a line, a legend entry and a table column, but no marks or stops', () => {
  const bound = (name: string): ChartSeries => ({ name, kind: 'bound', values: [at(1, 900), at(2, 800)] });
  const chart = chartOf([{ name: 'chatbot', values: [at(1, 211), at(2, 220)] }, bound('x'), bound('y')], {
    boundWords: 'at most',
  });
  expect(chart.series[1]?.points).toEqual([]);
  expect(chart.legend.map(({ name }) => name)).toEqual(['chatbot', 'at most']);
  expect(chart.table.columns).toEqual(['chatbot', 'x', 'y']);
  expect(chart.stops[0]?.label).not.toContain('900');
});

test('a band is shaded between two series where both have values', () => {
  const series = (name: string, values: ChartValue[]): ChartSeries => ({ name, values });
  const high = series('high', [at(1, 10), at(2, 9), at(4, 8)]);
  expect(chartOf([high, series('low', [at(1, 5), at(2, 4)])], { isBand: true }).band).toMatch(/^M.*Z$/);
  expect(chartOf([high, series('low', [at(2, 4)])], { isBand: true }).band).toBeNull();
});

test('the first 49 series all have different marks', () => {
  const looks = Array.from({ length: 49 }, (_, index) => JSON.stringify(seriesMark(index)));
  expect(new Set(looks).size).toBe(49);
});
