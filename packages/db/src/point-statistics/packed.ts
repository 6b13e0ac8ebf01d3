import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { stabilityOf } from '@inferboard/core/statistics/stability';
import { coefficientOfVariation, confidenceInterval95 } from '@inferboard/core/statistics/summary';
import type { PointStatisticsRow, StoredStatistics } from '../boards/lists/row-types.ts';

/**
 * The number of values behind a mean, their spread, and the tools if they differ from the row's. A single value by all tools of
 * the row has no entry.
 */
export type Spread = [n: number | null, sd: number | null, tools?: readonly string[]];

/**
 * Contents of the column `statistics`, without values that follow from mean and spread. Most points have one value and need no
 * entry; thirty metrics in full would take more space than the results themselves.
 */
export interface PackedStatistics {
  results?: number;
  median?: number;
  min?: number;
  max?: number;
  outliers?: StoredStatistics['outliers'];
  basis?: StoredStatistics['basis'];
}

export type PackedRow = Omit<PointStatisticsRow, 'statistics'> & {
  /** The transaction that wrote it, if requested. */
  written_by?: string;
  summed_by?: number | null;
  tools: readonly string[];
  spreads: Partial<Record<MetricName, Spread>>;
  statistics: Partial<Record<MetricName, PackedStatistics>>;
};

const given = <T>(value: T | null): T | undefined => value ?? undefined;

/** One metric's part of both columns; undefined if it needs no entry. */
export function packStatistics(
  statistics: StoredStatistics,
  tools: readonly string[] | undefined,
): { spread: Spread | undefined; rest: PackedStatistics | undefined } {
  const { n, results, sd, median, min, max, outliers, basis } = statistics;
  const isLone = n === 1 && sd === null;
  const spread: Spread | undefined = tools !== undefined ? [n, sd, tools] : isLone ? undefined : [n, sd];
  const counts: PackedStatistics = {
    results: results === n ? undefined : results,
    basis: basis === 'results' ? undefined : basis,
  };
  if (isLone && counts.results === undefined && counts.basis === undefined) return { spread, rest: undefined };
  const rest = {
    ...counts,
    median: given(median),
    min: given(min),
    max: given(max),
    outliers: outliers.length === 0 ? undefined : outliers,
  };
  return { spread, rest };
}

function unpackStatistics(mean: number, [n, sd]: Spread, rest: PackedStatistics | undefined): StoredStatistics {
  const { results = n ?? 0, basis = 'results', outliers = [] } = rest ?? {};
  // A value that equals its median and extremes.
  const one = rest === undefined && n === 1 ? mean : null;
  const { median = one, min = one, max = one } = rest ?? {};
  const cv = coefficientOfVariation(mean, sd);
  const ci95 = n === null ? null : confidenceInterval95(mean, sd, n);
  return { n, results, mean, sd, median, ci95, cv, stability: stabilityOf(cv), min, max, outliers, basis };
}

type Packed = Pick<PackedRow, 'statistics' | 'spreads'> & Partial<Record<MetricName, number | null>>;

/** The full statistics of those of the metrics that a row has. */
export function unpackMetrics(row: Packed, metrics: readonly MetricName[]): PointStatisticsRow['statistics'] {
  const statistics: PointStatisticsRow['statistics'] = {};
  for (const metric of metrics) {
    const mean = row[metric] ?? null;
    if (mean !== null)
      statistics[metric] = unpackStatistics(mean, row.spreads[metric] ?? [1, null], row.statistics[metric]);
  }
  return statistics;
}

/** A stored row with its full statistics. */
export function unpackRow<T extends Packed>(row: T): Omit<T, 'statistics'> & Pick<PointStatisticsRow, 'statistics'> {
  return { ...row, statistics: unpackMetrics(row, metricNames) };
}
