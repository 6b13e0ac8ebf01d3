import type { MetricName } from '@inferboard/core/metrics/index';
import { stabilityOf } from '@inferboard/core/statistics/stability';
import { coefficientOfVariation } from '@inferboard/core/statistics/summary';
import type { PointStatisticsRow, StoredStatistics } from '../queries/row-types.ts';

/**
 * Statistics as the column `statistics` keeps them, without what follows from the rest: most points are one value, and
 * a row of thirty metrics spelt out costs more to store than the results it sums up. The mean has a column of its own.
 */
export interface PackedStatistics {
  n: number | null;
  results?: number;
  sd?: number;
  median?: number;
  ci95?: [number, number];
  min?: number;
  max?: number;
  outliers?: StoredStatistics['outliers'];
  basis?: StoredStatistics['basis'];
  /** Tools that measured it, where they are not all of the row's. */
  tools?: readonly string[];
}

export type PackedRow = Omit<PointStatisticsRow, 'statistics'> & {
  tools: readonly string[];
  statistics: Partial<Record<MetricName, PackedStatistics>>;
};

/** A value that is its own median and extremes. */
const isOneValue = ({ n, results, basis }: PackedStatistics) => n === 1 && results === undefined && basis === undefined;

const given = <T>(value: T | null): T | undefined => value ?? undefined;

export function packStatistics(statistics: StoredStatistics): PackedStatistics {
  const { n, results, sd, median, ci95, min, max, outliers, basis } = statistics;
  const packed: PackedStatistics = {
    n,
    results: results === n ? undefined : results,
    basis: basis === 'results' ? undefined : basis,
  };
  if (isOneValue(packed)) return packed;
  return {
    ...packed,
    sd: given(sd),
    median: given(median),
    ci95: given(ci95),
    min: given(min),
    max: given(max),
    outliers: outliers.length === 0 ? undefined : outliers,
  };
}

export function unpackStatistics(packed: PackedStatistics, mean: number): StoredStatistics {
  const { n, results = n ?? 0, basis = 'results', outliers = [] } = packed;
  const { sd = null, ci95 = null } = packed;
  const one = isOneValue(packed) ? mean : null;
  const { median = one, min = one, max = one } = packed;
  const cv = coefficientOfVariation(mean, sd);
  return { n, results, mean, sd, median, ci95, cv, stability: stabilityOf(cv), min, max, outliers, basis };
}

/** A row as it is stored, with its statistics in full. */
export function unpackRow<T extends Pick<PackedRow, 'statistics'> & Partial<Record<MetricName, number | null>>>(
  row: T,
): Omit<T, 'statistics'> & Pick<PointStatisticsRow, 'statistics'> {
  const statistics = Object.entries(row.statistics).map(([name, packed]) => {
    const metric = name as MetricName;
    return [metric, unpackStatistics(packed, row[metric] ?? Number.NaN)] as const;
  });
  return { ...row, statistics: Object.fromEntries(statistics) };
}
