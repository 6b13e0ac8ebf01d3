/** One value of a series at a time. */
export interface TimedValue {
  /** A date that sorts chronologically as text. */
  day: string;
  value: number;
}

/**
 * Marks the values that were the best of their series when they were measured: those better than all values of earlier days.
 * A value that equals the best one is no new best. Returns the values by day.
 */
export function markBests<T extends TimedValue>(
  values: readonly T[],
  better: 'higher' | 'lower',
): (T & { isBest: boolean })[] {
  const sign = better === 'higher' ? 1 : -1;
  let best = Number.NEGATIVE_INFINITY;
  return values
    .toSorted((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)))
    .map((one) => {
      const isBest = sign * one.value > best;
      if (isBest) best = sign * one.value;
      return { ...one, isBest };
    });
}

/** Keeps the bests and the newest others, at most `max` values in all if fewer are bests. The order does not change. */
export function thinned<T extends { isBest: boolean }>(values: readonly T[], max: number): T[] {
  const bests = values.filter(({ isBest }) => isBest).length;
  let left = values.length - bests - Math.max(0, max - bests);
  return values.filter(({ isBest }) => {
    if (isBest || left <= 0) return true;
    left -= 1;
    return false;
  });
}
