import { percentileOfSorted, sorted } from './percentile.ts';
import { type Summary, summarise } from './summary.ts';

export interface OutlierTest {
  test: 'grubbs' | 'modified_z';
  statistic: number;
  critical: number;
}

/** A value that at least one test flags. Outliers are shown, never dropped. */
export interface Outlier {
  /** Index among the given values. */
  index: number;
  value: number;
  tests: OutlierTest[];
}

/** Two-sided critical values of Grubbs's test at 5 % for n = 3..10 (Grubbs 1969). */
const grubbsCritical = [1.1543, 1.4813, 1.715, 1.8871, 2.02, 2.1266, 2.215, 2.29];
const grubbsFrom = 3;

/** Limit and scale of the modified z-score (Iglewicz and Hoaglin 1993); 0.6745 is the normal MAD over sd. */
const zCritical = 3.5;
const zScale = 0.6745;
const zFrom = 5;

/** G = |x - mean| / sd of the value furthest from the mean. The test flags at most one value. */
function grubbs(values: readonly number[], { mean, sd }: Summary): (OutlierTest & { index: number }) | null {
  const critical = grubbsCritical[values.length - grubbsFrom];
  if (critical === undefined || sd === null || sd === 0) return null;
  // Uses loops for speed: a submission tests hundreds of thousands of figures, and almost none is an outlier.
  let furthest = 0;
  let index = 0;
  for (let place = 0; place < values.length; place++) {
    const distance = Math.abs((values[place] as number) - mean); // within the array
    if (distance <= furthest) continue;
    furthest = distance;
    index = place;
  }
  const statistic = furthest / sd;
  return statistic > critical ? { test: 'grubbs', statistic, critical, index } : null;
}

/** Median distance of sorted values from their median; 0 if more than half of the values are equal. */
function deviationOf(inOrder: readonly number[], median: number): number {
  const distanceAt = (place: number) => Math.abs((inOrder[place] ?? Number.POSITIVE_INFINITY) - median);
  // Distances grow outwards from the middle on both sides, so merge both sides up to the middle distance.
  const half = Math.floor((inOrder.length - 1) / 2);
  let below = half;
  let above = half + 1;
  let [lower, upper] = [0, 0];
  for (let taken = 0; taken <= Math.ceil((inOrder.length - 1) / 2); taken++) {
    if (distanceAt(below) <= distanceAt(above)) upper = distanceAt(below--);
    else upper = distanceAt(above++);
    if (taken === half) lower = upper;
  }
  return percentileOfSorted([lower, upper], 50);
}

/**
 * Returns values that are too far from the rest, in the given order. Uses Grubbs's test (3 to 10 values) and the modified
 * z-score (at least 5), 0.6745 (x - median) / MAD. Three values nearly always pass, so show their spread. `summary` and
 * `inOrder` are the summary and the sorted values, if already calculated.
 */
export function findOutliers(
  values: readonly number[],
  summary?: Summary,
  inOrder: readonly number[] = sorted(values),
): Outlier[] {
  if (values.length < grubbsFrom) return [];
  const known = summary ?? summarise(values, inOrder);
  const extreme = grubbs(values, known);
  const { median } = known;
  const mad = values.length < zFrom ? 0 : deviationOf(inOrder, median);
  const isFar = (value: number | undefined) =>
    mad > 0 && Math.abs((zScale * ((value ?? median) - median)) / mad) > zCritical;
  const outliers: Outlier[] = [];
  if (extreme === null && !isFar(inOrder[0]) && !isFar(inOrder.at(-1))) return outliers;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number; // within the array
    const z = mad === 0 ? 0 : (zScale * (value - median)) / mad;
    const isExtreme = extreme?.index === index;
    if (!isExtreme && !(Math.abs(z) > zCritical)) continue;
    const tests: OutlierTest[] = [];
    if (extreme !== null && isExtreme)
      tests.push({ test: extreme.test, statistic: extreme.statistic, critical: extreme.critical });
    if (Math.abs(z) > zCritical) tests.push({ test: 'modified_z', statistic: z, critical: zCritical });
    outliers.push({ index, value, tests });
  }
  return outliers;
}
