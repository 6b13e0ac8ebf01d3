import { percentile } from './percentile.ts';
import { type Summary, summarise } from './summary.ts';

export interface OutlierTest {
  test: 'grubbs' | 'modified_z';
  statistic: number;
  critical: number;
}

/** A value that at least one test doubts. Outliers are shown, never dropped. */
export interface Outlier {
  /** Place among the values given. */
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

/** G = |x - mean| / sd of the value furthest from the mean: the test accuses one value at most. */
function grubbs(values: readonly number[], { mean, sd }: Summary): (OutlierTest & { index: number }) | null {
  const critical = grubbsCritical[values.length - grubbsFrom];
  if (critical === undefined || sd === null || sd === 0) return null;
  const distances = values.map((value) => Math.abs(value - mean));
  const furthest = Math.max(...distances);
  const statistic = furthest / sd;
  return statistic > critical ? { test: 'grubbs', statistic, critical, index: distances.indexOf(furthest) } : null;
}

/** 0.6745 (x - median) / MAD of each value, signed; none where more than half of the values are equal. */
function modifiedZ(values: readonly number[]): number[] {
  if (values.length < zFrom) return [];
  const median = percentile(values, 50);
  const mad = percentile(
    values.map((value) => Math.abs(value - median)),
    50,
  );
  return mad === 0 ? [] : values.map((value) => (zScale * (value - median)) / mad);
}

/**
 * Values that Grubbs's test (3 to 10 values) or the modified z-score (5 and more) finds too far from the rest, in the
 * order given. Three values nearly always pass: show their spread. `summary` is that of the values, for those who have it.
 */
export function findOutliers(values: readonly number[], summary?: Summary): Outlier[] {
  if (values.length < grubbsFrom) return [];
  const extreme = grubbs(values, summary ?? summarise(values));
  const scores = modifiedZ(values);
  return values.flatMap((value, index) => {
    const tests: OutlierTest[] = [];
    if (extreme?.index === index) {
      tests.push({ test: extreme.test, statistic: extreme.statistic, critical: extreme.critical });
    }
    const z = scores[index];
    if (z !== undefined && Math.abs(z) > zCritical)
      tests.push({ test: 'modified_z', statistic: z, critical: zCritical });
    return tests.length === 0 ? [] : [{ index, value, tests }];
  });
}
