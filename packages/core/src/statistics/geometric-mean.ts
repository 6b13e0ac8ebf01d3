/** One workload with a value of each entry, in the same order everywhere; null where an entry was not measured. */
export interface Workload {
  direction: 'lower' | 'higher';
  values: readonly (number | null)[];
}

/** An entry over several workloads. */
export interface Overall {
  /** Geometric mean of its ratios to the best entry, 0..1, 1 for the best everywhere; null where a workload is missing. */
  mean: number | null;
  /** Workloads that it was measured under. */
  counted: number;
}

/** Geometric mean, taken in logarithms so that nothing overflows; 0 if any value is; null for no values. */
export function geometricMean(values: readonly number[]): number | null {
  if (values.some((value) => !(value >= 0))) throw new RangeError('a geometric mean needs values of 0 or more');
  if (values.length === 0) return null;
  return Math.exp(values.reduce((total, value) => total + Math.log(value), 0) / values.length);
}

/** Each value relative to the best of its workload, at most 1 whichever way is better. */
function ratiosToBest({ direction, values }: Workload): (number | null)[] {
  const known = values.filter((value) => value !== null);
  const best = known.reduce((a, b) => (direction === 'higher' ? Math.max(a, b) : Math.min(a, b)), known[0] ?? 0);
  return values.map((value) => {
    if (value === null) return null;
    // Also where all are 0.
    if (value === best) return 1;
    return direction === 'higher' ? value / best : best / value;
  });
}

/**
 * Sums up entries over unlike workloads: the geometric mean of their ratios to the best entry of each. Rates of unlike
 * workloads have no mean, and this one does not depend on which workload has the larger numbers. An entry that misses a
 * workload gets none, because it might have left out its worst. Throws RangeError for values below 0 or lists of
 * different lengths.
 */
export function compareOverWorkloads(workloads: readonly Workload[]): Overall[] {
  const entries = workloads[0]?.values.length ?? 0;
  if (workloads.some(({ values }) => values.length !== entries)) throw new RangeError('a workload lacks entries');
  const ratios = workloads.map(ratiosToBest);
  return Array.from({ length: entries }, (_, entry) => {
    const own = ratios.flatMap((of) => of[entry] ?? []);
    return { mean: own.length < workloads.length ? null : geometricMean(own), counted: own.length };
  });
}
