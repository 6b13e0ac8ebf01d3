/**
 * The repetition number of each item within its point, counted from 1 in order. `pointOf` returns the key that repetitions
 * share.
 */
export function countRepetitions<T>(items: readonly T[], pointOf: (item: T) => string): ReadonlyMap<T, number> {
  const seen = new Map<string, number>();
  const repetitions = new Map<T, number>();
  for (const item of items) {
    const point = pointOf(item);
    const repetition = (seen.get(point) ?? 0) + 1;
    seen.set(point, repetition);
    repetitions.set(item, repetition);
  }
  return repetitions;
}
