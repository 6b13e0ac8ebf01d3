/** Percentile `p` (0..100) of at least one sorted value: linear between the two nearest ranks, as NumPy does it. */
export function percentileOf(sorted: Float64Array, p: number): number {
  const rank = (p / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? Number.NaN;
  const above = sorted[Math.ceil(rank)] ?? Number.NaN;
  const share = rank - Math.floor(rank);
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}

/** Several percentiles of values in any order, which it sorts in place; null without values. O(n log n). */
export function percentilesOf(values: Float64Array, ps: readonly number[]): number[] | null {
  if (values.length === 0) return null;
  values.sort();
  return ps.map((p) => percentileOf(values, p));
}

/** Differences of successive stamps, over all lists. */
export function pooledGaps(lists: readonly Float64Array[]): Float64Array {
  const gaps = new Float64Array(lists.reduce((total, { length }) => total + Math.max(0, length - 1), 0));
  let count = 0;
  for (const list of lists) {
    for (let at = 1; at < list.length; at++) gaps[count++] = (list[at] ?? 0) - (list[at - 1] ?? 0);
  }
  return gaps;
}

/** The median of the values above 0 among sorted ones; null without any. Chunks that came in one read have gaps of 0. */
export function positiveMedian(sorted: Float64Array): number | null {
  const first = sorted.findIndex((value) => value > 0);
  return first < 0 ? null : percentileOf(sorted.subarray(first), 50);
}
