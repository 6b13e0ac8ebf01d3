/** Which repetition of its point each item is, counted from 1 in their order. `pointOf` says what repetitions share. */
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
