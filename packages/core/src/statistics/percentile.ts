/**
 * Percentile `p` (0..100) of sorted values with linear interpolation between the two nearest ranks, NumPy's default method:
 * rank p / 100 x (n - 1). Throws RangeError without values.
 */
export function percentileOfSorted(values: readonly number[], p: number): number {
  if (!(p >= 0 && p <= 100)) throw new RangeError('a percentile must be between 0 and 100');
  const rank = (p / 100) * (values.length - 1);
  const below = values[Math.floor(rank)];
  const above = values[Math.ceil(rank)];
  if (below === undefined || above === undefined) throw new RangeError('no values to take a percentile of');
  if (below === above) return below;
  const share = rank - Math.floor(rank);
  // Start at the nearer end, so that rounding never leaves the interval.
  return share < 0.5 ? below + (above - below) * share : above - (above - below) * (1 - share);
}

/** Up to this many values insertion sort is fastest. There are few repetitions but many points. */
const fewValues = 16;

/** A sorted copy. */
export function sorted(values: readonly number[]): number[] {
  // Typed arrays sort numerically without a comparator call per pair.
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

/** The percentile of unsorted values, which are not modified. */
export function percentile(values: readonly number[], p: number): number {
  return percentileOfSorted(sorted(values), p);
}
