import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Axis, paretoFrontier } from './pareto.ts';

interface Point {
  name: string;
  userTokS: number;
  gpuTokS: number;
}

const user: Axis<Point> = { of: ({ userTokS }) => userTokS, better: 'higher' };
const gpu: Axis<Point> = { of: ({ gpuTokS }) => gpuTokS, better: 'higher' };

const points: Point[] = [
  { name: 'p1', userTokS: 20, gpuTokS: 3000 },
  { name: 'p2', userTokS: 50, gpuTokS: 2400 },
  { name: 'p3', userTokS: 50, gpuTokS: 2500 },
  { name: 'p4', userTokS: 90, gpuTokS: 1500 },
  { name: 'p5', userTokS: 80, gpuTokS: 1500 },
  { name: 'p6', userTokS: 150, gpuTokS: 400 },
  { name: 'p7', userTokS: 20, gpuTokS: 3000 },
];
const names = (found: Point[]) => found.map(({ name }) => name);

test('compares speed per user with throughput per GPU', () => {
  expect(names(paretoFrontier(points, [user, gpu]))).toEqual(['p1', 'p3', 'p4', 'p6', 'p7']);
  expect(names(paretoFrontier(points, [gpu, user]))).toEqual(['p1', 'p3', 'p4', 'p6', 'p7']);
});

test('supports an axis on which lower is better', () => {
  const latency: Axis<Point> = { of: ({ userTokS }) => 1000 / userTokS, better: 'lower' };
  expect(names(paretoFrontier(points, [latency, gpu]))).toEqual(['p1', 'p3', 'p4', 'p6', 'p7']);
  const cheap: Axis<Point> = { of: ({ gpuTokS }) => gpuTokS, better: 'lower' };
  expect(names(paretoFrontier(points, [user, cheap]))).toEqual(['p6']);
});

test('returns no points for none and the point for one, and rejects a missing value', () => {
  expect(paretoFrontier([], [user, gpu])).toEqual([]);
  expect(paretoFrontier(points.slice(0, 1), [user, gpu])).toEqual(points.slice(0, 1));
  expect(() => paretoFrontier([{ name: 'p', userTokS: Number.NaN, gpuTokS: 1 }], [user, gpu])).toThrow(RangeError);
});

const direction = fc.constantFrom('higher' as const, 'lower' as const);
// Few values, so that many are equal.
const pairs = fc.array(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 })), { maxLength: 40 });

test('agrees with a comparison of every pair', () => {
  fc.assert(
    fc.property(pairs, direction, direction, (list, better, otherBetter) => {
      const sign = (way: 'higher' | 'lower') => (way === 'higher' ? 1 : -1);
      const beats = (a: [number, number], b: [number, number]) => {
        const x = (a[0] - b[0]) * sign(better);
        const y = (a[1] - b[1]) * sign(otherBetter);
        return x >= 0 && y >= 0 && (x > 0 || y > 0);
      };
      const expected = list.filter((point) => !list.some((other) => beats(other, point)));
      const found = paretoFrontier(list, [
        { of: ([x]) => x, better },
        { of: ([, y]) => y, better: otherBetter },
      ]);
      expect(found).toEqual(expected);
    }),
  );
});
