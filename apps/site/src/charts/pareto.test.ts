import { describe, expect, test } from 'vitest';
import { type ParetoPoint, type ParetoSide, paretoChart } from './pareto.ts';

const side = (better: ParetoSide['better']): ParetoSide => ({ title: 'Speed', unit: 'tok/s', better });
const point = (name: string, x: number, y: number): ParetoPoint => ({
  ...{ name, x, y, detail: '', xText: String(x), yText: String(y), n: 'n 3', href: `/systems/${name}` },
});
const points = [point('a', 10, 30), point('b', 20, 20), point('c', 30, 10), point('d', 9, 9)];
const onFrontier = (chart: ReturnType<typeof paretoChart>) =>
  chart.table.filter((row) => row.isOnFrontier).map(({ name }) => name);

describe('paretoChart', () => {
  test('marks the rows that no other row dominates, in either direction', () => {
    expect(onFrontier(paretoChart(side('higher'), side('higher'), points))).toEqual(['a', 'b', 'c']);
    expect(onFrontier(paretoChart(side('lower'), side('higher'), points))).toEqual(['a', 'd']);
    expect(onFrontier(paretoChart(side('lower'), side('lower'), points))).toEqual(['d']);
  });

  // A straight line through the points would imply systems that were not measured.
  test('draws the border of the dominated area in steps', () => {
    expect(paretoChart(side('higher'), side('higher'), points).frontier).toMatch(
      /^M[\d. ]+V[\d.]+H[\d.]+V[\d.]+H[\d.]+$/,
    );
    expect(paretoChart(side('lower'), side('higher'), points).frontier).toMatch(/^M[\d. ]+H[\d.]+V[\d.]+$/);
  });

  test('keeps every mark and name inside the drawing', () => {
    const chart = paretoChart(side('higher'), side('higher'), points);
    for (const { x, y } of chart.marks) {
      expect(x).toBeGreaterThanOrEqual(chart.plot.left);
      expect(x).toBeLessThanOrEqual(chart.plot.right);
      expect(y).toBeGreaterThanOrEqual(chart.plot.top);
      expect(y).toBeLessThanOrEqual(chart.plot.bottom);
    }
    for (const { x } of chart.labels) expect(x).toBeLessThanOrEqual(chart.width);
  });

  test('draws a single point', () => {
    const chart = paretoChart(side('higher'), side('lower'), [point('only', 5, 5)]);
    expect(chart.marks).toHaveLength(1);
    expect(chart.marks.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });
});
