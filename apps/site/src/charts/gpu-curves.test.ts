import { expect, test } from 'vitest';
import { type CurvePoint, gpuCurves } from './gpu-curves.ts';

const titles = { x: 'Per-user speed', y: 'Throughput per GPU', xUnit: 'tok/s', yUnit: 'tok/s' };
const point = (gpu: string, x: number, y: number): CurvePoint => ({
  ...{ gpu, x, y, detail: `${gpu} at ${x}`, xText: `${x} tok/s`, yText: `${y} tok/s`, href: '/systems/s' },
});

test('a curve goes through the points of a GPU that no other of its points beats', () => {
  const chart = gpuCurves(
    [
      point('H100', 10, 900),
      point('H100', 20, 800),
      point('H100', 15, 700),
      point('B200', 10, 2000),
      point('B200', 50, 300),
    ],
    titles,
  );
  expect(chart?.curves.map(({ gpu, points }) => [gpu, points.map(({ x }) => x)])).toEqual([
    ['B200', [10, 50]],
    ['H100', [10, 20]],
  ]);
  const [b200, h100] = chart?.curves ?? [];
  expect(b200?.mark.className).not.toBe(h100?.mark.className);
  // More is higher, and faster is further right.
  expect(b200?.points[0]?.at.y).toBeLessThan(h100?.points[0]?.at.y ?? 0);
  expect(b200?.points[1]?.at.x).toBeGreaterThan(b200?.points[0]?.at.x ?? 0);
});

test('labels do not cover each other', () => {
  const points = ['A', 'B', 'C', 'D', 'E'].flatMap((gpu, at) => [point(gpu, 10, 1000 + at), point(gpu, 60, 100 + at)]);
  const labels = (gpuCurves(points, titles)?.curves ?? []).map(({ label }) => label);
  expect(labels).toHaveLength(5);
  // Names of one letter, of which some begin and some end at their point.
  const leftOf = ({ x, anchor }: (typeof labels)[number]) => (anchor === 'start' ? x : x - 6.6);
  for (const [at, one] of labels.entries())
    for (const other of labels.slice(at + 1))
      expect(Math.abs(one.y - other.y) >= 13 || Math.abs(leftOf(one) - leftOf(other)) >= 6.6).toBe(true);
});

test('one GPU alone has no curves to compare, and of many the highest are drawn', () => {
  expect(gpuCurves([point('H100', 10, 900), point('H100', 20, 800)], titles)).toBeNull();
  const many = Array.from({ length: 12 }, (_, at) => point(`GPU ${at}`, 10 + at, 100 * (at + 1)));
  const chart = gpuCurves(many, titles);
  expect(chart?.curves.map(({ gpu }) => gpu)).toEqual([11, 10, 9, 8, 7, 6, 5, 4].map((at) => `GPU ${at}`));
  expect(chart?.others).toBe(4);
});
