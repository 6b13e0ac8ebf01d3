/**
 * Percentile `p` (0..100) of sorted values, interpolated linearly between the two nearest ranks: NumPy's default
 * method, rank p / 100 x (n - 1). Throws RangeError on no values.
 */
export function percentileOfSorted(values: readonly number[], p: number): number {
  if (!(p >= 0 && p <= 100)) throw new RangeError('a percentile lies between 0 and 100');
  const rank = (p / 100) * (values.length - 1);
  const below = values[Math.floor(rank)];
  const above = values[Math.ceil(rank)];
  if (below === undefined || above === undefined) throw new RangeError('no values to take a percentile of');
  if (below === above) return below;
  const share = rank - Math.floor(rank);
  // From the nearer end, so that rounding never leaves the interval.
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}

/** Values up to which sorting by insertion is the fastest: repetitions are few, and points many. */
const fewValues = 16;

/** A sorted copy. */
export function sorted(values: readonly number[]): number[] {
  // Without a comparison of ours, which is called for each pair.
  if (values.length > fewValues) return Array.from(Float64Array.from(values).sort());
  const copy = values.slice();
  for (let place = 1; place < copy.length; place++) {
    const value = copy[place] as number; // within the array
    let at = place - 1;
    for (; at >= 0 && (copy[at] as number) > value; at--) copy[at + 1] = copy[at] as number;
    copy[at + 1] = value;
  }
  return copy;
}

/** The same of values in any order, which stay as they are. */
export function percentile(values: readonly number[], p: number): number {
  return percentileOfSorted(sorted(values), p);
}
