/** One of two figures that rate points, and its better direction. */
export interface Axis<T> {
  of(point: T): number;
  better: 'higher' | 'lower';
}

/** The figure with its sign changed if lower is better. */
const turned = <T>({ of, better }: Axis<T>, point: T) => (better === 'higher' ? of(point) : -of(point));

/**
 * Returns the points that no other point dominates, in the given order. A point dominates another if it is at least as good
 * on both axes and better on one, so equal points are kept together. Throws RangeError for figures that are not numbers. O(n
 * log n).
 */
export function paretoFrontier<T>(points: readonly T[], [first, second]: readonly [Axis<T>, Axis<T>]): T[] {
  const places = points.map((point, place) => ({ place, x: turned(first, point), y: turned(second, point) }));
  if (places.some(({ x, y }) => Number.isNaN(x) || Number.isNaN(y))) throw new RangeError('a point lacks a figure');
  const descending = (a: number, b: number) => (a === b ? 0 : b - a);
  places.sort((a, b) => descending(a.x, b.x) || descending(a.y, b.y));
  const kept = new Set<number>();
  // Best y so far, and its x. Only an equal point may have the same y again.
  let top: { x: number; y: number } | null = null;
  for (const { place, x, y } of places) {
    if (top === null || y > top.y) top = { x, y };
    else if (x !== top.x || y !== top.y) continue;
    kept.add(place);
  }
  return points.filter((_, place) => kept.has(place));
}
