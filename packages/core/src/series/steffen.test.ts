import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CurvePoint, steffenCurve } from './steffen.ts';

const pointsOf = (...pairs: [x: number, y: number][]): CurvePoint[] => pairs.map(([x, y]) => ({ x, y }));

describe('by hand', () => {
  test('two points are joined by a line', () => {
    const curve = steffenCurve(pointsOf([1, 10], [3, 20]));
    expect(curve(2)).toBeCloseTo(15, 12);
    expect(curve(1.5)).toBeCloseTo(12.5, 12);
  });

  // Slopes of the steps 1 and 3, at the points 0, 2 x min(1, 3, 2 / 2) = 2 and 4. At 0.5: cubic 0, quadratic 1.
  test('a parabola stays one', () => {
    const curve = steffenCurve(pointsOf([0, 0], [1, 1], [2, 4]));
    expect(curve(0.5)).toBeCloseTo(0.25, 12);
    expect(curve(1.5)).toBeCloseTo(2.25, 12);
  });

  // A parabola would rise above the peak: its slope there is 0.
  test('a peak is where it was measured', () => {
    const curve = steffenCurve(pointsOf([0, 0], [1, 5], [2, 4]));
    expect(curve(1)).toBe(5);
    expect(curve(1.1)).toBeLessThan(5);
    expect(curve(0.9)).toBeLessThan(5);
  });

  test('nothing is said outside of the points', () => {
    const curve = steffenCurve(pointsOf([1, 10], [3, 20]));
    expect([0.999, 3.001, Number.NaN].map(curve)).toEqual([null, null, null]);
    expect(steffenCurve([])(1)).toBeNull();
    expect(steffenCurve(pointsOf([1, 10]))(1)).toBe(10);
    expect(steffenCurve(pointsOf([1, 10]))(1.1)).toBeNull();
  });

  test('a figure stops at 0', () => {
    expect(steffenCurve(pointsOf([0, 1], [2, -1]))(1.5)).toBe(0);
  });

  test('points may repeat in any order, but not with another value', () => {
    expect(steffenCurve(pointsOf([3, 20], [1, 10], [3, 20]))(2)).toBeCloseTo(15, 12);
    expect(() => steffenCurve(pointsOf([1, 10], [1, 11]))).toThrow(RangeError);
    expect(() => steffenCurve(pointsOf([1, Number.NaN]))).toThrow(RangeError);
  });
});

const curves = fc.uniqueArray(
  fc.record({
    x: fc.integer({ min: -1000, max: 1000 }).map((x) => x / 8),
    y: fc.double({ min: 0, max: 1e4, noNaN: true }),
  }),
  { minLength: 2, maxLength: 12, selector: ({ x }) => x },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('the curve goes through every point', () => {
  fc.assert(
    fc.property(curves, (points) => {
      const curve = steffenCurve(points);
      for (const { x, y } of points) expect(curve(x)).toBe(y);
    }),
  );
});

test('between two points it runs from one to the other without turning or overshooting', () => {
  fc.assert(
    fc.property(curves, share, share, (points, a, b) => {
      const curve = steffenCurve(points);
      const sorted = points.toSorted((one, other) => one.x - other.x);
      for (const [i, to] of sorted.entries()) {
        const from = sorted[i - 1];
        if (from === undefined) continue;
        const at = (part: number) => curve(Math.min(to.x, from.x + part * (to.x - from.x))) ?? Number.NaN;
        const [first, second] = [at(Math.min(a, b)), at(Math.max(a, b))];
        const slack = 1e-9 * Math.max(from.y, to.y);
        expect((second - first) * Math.sign(to.y - from.y)).toBeGreaterThanOrEqual(-slack);
        expect(first).toBeGreaterThanOrEqual(Math.min(from.y, to.y));
        expect(first).toBeLessThanOrEqual(Math.max(from.y, to.y));
      }
    }),
  );
});

// A kink would show as a jump of the slope.
test('it is smooth: the slope on both sides of a point is the same', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 3, maxLength: 8 }), (ys) => {
      const curve = steffenCurve(ys.map((y, x) => ({ x, y })));
      for (let x = 1; x < ys.length - 1; x++) {
        const [before, here, after] = [curve(x - 1e-6), curve(x), curve(x + 1e-6)].map((y) => y ?? Number.NaN);
        expect((here ?? 0) - (before ?? 0)).toBeCloseTo((after ?? 0) - (here ?? 0), 8);
      }
    }),
  );
});
