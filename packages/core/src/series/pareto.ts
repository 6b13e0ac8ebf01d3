/** One of two figures that points are judged by, and which way is better. */
export interface Axis<T> {
  of(point: T): number;
  better: 'higher' | 'lower';
}

/** The figure turned so that higher is better. */
const turned = <T>({ of, better }: Axis<T>, point: T) => (better === 'higher' ? of(point) : -of(point));

/**
 * The points that no other beats, in the order given: a point is beaten by one at least as good on both axes and better on
 * one, so equal points stay together. Throws RangeError for figures that are no numbers. O(n log n).
 */
export function paretoFrontier<T>(points: readonly T[], [first, second]: readonly [Axis<T>, Axis<T>]): T[] {
  const places = points.map((point, place) => ({ place, x: turned(first, point), y: turned(second, point) }));
  if (places.some(({ x, y }) => Number.isNaN(x) || Number.isNaN(y))) throw new RangeError('a point lacks a figure');
  const descending = (a: number, b: number) => (a === b ? 0 : b - a);
  places.sort((a, b) => descending(a.x, b.x) || descending(a.y, b.y));
  const kept = new Set<number>();
  // Best y so far, and the x it came with: only that same point may have it again.
  let top: { x: number; y: number } | null = null;
  for (const { place, x, y } of places) {
    if (top === null || y > top.y) top = { x, y };
    else if (x !== top.x || y !== top.y) continue;
    kept.add(place);
  }
  return points.filter((_, place) => kept.has(place));
}
