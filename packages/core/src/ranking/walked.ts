import { type Metric, metrics } from '../metrics/index.ts';

const walkedStatistics: readonly (string | null)[] = [null, 'mean', 'p50', 'p90', 'p95', 'p99'];

/** True of metrics that people rank by, whose boards are kept in rank order. Others are sorted when somebody asks. */
export const isWalked = ({ family, statistic }: Metric): boolean =>
  family.direction !== 'neutral' && walkedStatistics.includes(statistic);

export const walkedMetrics: readonly Metric[] = metrics.filter(isWalked);

/** 1 where more is better, -1 where less is: what turns a value into its worth, and back. */
export const signOf = ({ family }: Pick<Metric, 'family'>): 1 | -1 => (family.direction === 'lower' ? -1 : 1);
