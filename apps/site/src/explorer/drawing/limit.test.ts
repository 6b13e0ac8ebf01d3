import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { reachedAt } from './limit.ts';

const points = [
  { x: 20, y: 900 },
  { x: 40, y: 600 },
  { x: 80, y: 200 },
];
const higher = { x: 'higher', y: 'higher' } as const;

describe('the value of a curve at a limit', () => {
  it('is interpolated between the measured points on either side', () => {
    expect(reachedAt(points, { limit: 60, ...higher, interpolates: true })).toEqual({
      y: 400,
      between: [points[1], points[2]],
    });
  });

  it('is the measured point if it is exactly at the limit', () => {
    expect(reachedAt(points, { limit: 40, ...higher, interpolates: true })).toEqual({ y: 600, between: [points[1]] });
  });

  it('is the best measured point that meets it, without interpolation', () => {
    expect(reachedAt(points, { limit: 60, ...higher, interpolates: false })).toEqual({ y: 200, between: [points[2]] });
  });

  it('is null after the last point', () => {
    expect(reachedAt(points, { limit: 81, ...higher, interpolates: true })).toBeNull();
  });

  it('of a latency is at or below the limit', () => {
    expect(reachedAt(points, { limit: 30, x: 'lower', y: 'higher', interpolates: false })?.y).toBe(900);
    expect(reachedAt(points, { limit: 10, x: 'lower', y: 'higher', interpolates: false })).toBeNull();
  });

  test('never exceeds the range of the measured values', () => {
    const figure = fc.double({ min: 0.1, max: 1e4, noNaN: true });
    const better = fc.constantFrom('higher' as const, 'lower' as const);
    fc.assert(
      fc.property(
        fc.array(fc.record({ x: figure, y: figure }), { minLength: 1 }),
        figure,
        better,
        better,
        (all, limit, x, y) => {
          const found = reachedAt(all, { limit, x, y, interpolates: true });
          const isMet = all.some((point) => (x === 'higher' ? point.x >= limit : point.x <= limit));
          expect(found !== null).toBe(isMet);
          if (found === null) return;
          const values = found.between.map((point) => point.y);
          expect(found.y).toBeGreaterThanOrEqual(Math.min(...values) * (1 - 1e-12));
          expect(found.y).toBeLessThanOrEqual(Math.max(...values) * (1 + 1e-12));
        },
      ),
    );
  });
});
