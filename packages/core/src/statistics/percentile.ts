/**
 * Percentile `p` (0..100) of sorted values, interpolated linearly between the two nearest ranks: NumPy's default
 * method, rank p / 100 x (n - 1). Throws RangeError on no values.
 */
export function percentileOfSorted(sorted: readonly number[], p: number): number {
  if (!(p >= 0 && p <= 100)) throw new RangeError('a percentile lies between 0 and 100');
  const rank = (p / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)];
  const above = sorted[Math.ceil(rank)];
  if (below === undefined || above === undefined) throw new RangeError('no values to take a percentile of');
  if (below === above) return below;
  const share = rank - Math.floor(rank);
  // From the nearer end, so that rounding never leaves the interval.
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}

/** The same of values in any order, which stay as they are. */
export function percentile(values: readonly number[], p: number): number {
  return percentileOfSorted(
    [...values].sort((a, b) => a - b),
    p,
  );
}
