import { expect, test } from 'vitest';
import { drawChart, ticksTo } from './charts.ts';

test.each([
  [4, 8, 0, [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]],
  [4, 8, 1, [0, 1, 2, 3, 4]],
  [1, 3, 1, [0, 1]],
  [256, 8, 1, [0, 50, 100, 150, 200, 250, 300]],
])('has round ticks up to %d', (max, count, least, ticks) => {
  expect(ticksTo(max, count, least)).toEqual(ticks);
});

test('has no ticks between numbers of users', () => {
  const values = [1, 2, 4].map((level) => [level, 10 * level] as const);
  const chart = drawChart({
    ...{ title: 'Output', unit: 'tok/s', xTitle: 'level of concurrency', xMax: 4, counts: 'x' },
    series: [{ name: 'output', values, style: 'line' }],
  });
  const labels = [...chart.matchAll(/text-anchor="middle">([^<]*)</g)].map(([, label]) => label);
  expect(labels).toEqual(['0', '1', '2', '3', '4']);
});
