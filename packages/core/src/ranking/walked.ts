import { type Metric, type MetricName, metrics } from '../metrics/index.ts';

const walkedStatistics: readonly (string | null)[] = [null, 'mean', 'p50', 'p90', 'p95', 'p99'];

/** True for metrics that are commonly ranked. Their boards are stored in rank order; others are sorted on request. */
export const isWalked = ({ family, statistic }: Metric): boolean =>
  family.direction !== 'neutral' && walkedStatistics.includes(statistic);

export const walkedMetrics: readonly Metric[] = metrics.filter(isWalked);

/** 1 if more is better, -1 if less is better. Multiplying by it turns a value into a sort key and back. */
export const signOf = ({ family }: Pick<Metric, 'family'>): 1 | -1 => (family.direction === 'lower' ? -1 : 1);

/**
 * Metrics that commonly have bounds. Their values are stored in one narrow row per claim, so that all bounds are tested
 * together.
 */
export const boundMetrics = [
  'output_tok_s_per_gpu',
  'output_tok_s',
  'user_tok_s',
  'decode_tok_s',
  'req_s',
  'ttft_ms_mean',
  'ttft_ms_p50',
  'ttft_ms_p99',
  'itl_ms_mean',
  'itl_ms_p99',
  'tpot_ms_mean',
  'tpot_ms_p99',
  'e2e_ms_mean',
] as const satisfies readonly MetricName[];

export type BoundMetric = (typeof boundMetrics)[number];

export const isBoundMetric = (name: string): name is BoundMetric => (boundMetrics as readonly string[]).includes(name);
