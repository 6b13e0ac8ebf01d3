import { findMetric, type MetricName } from '../../../metrics/index.ts';

const statistics: Record<string, string> = { mean: 'mean', median: 'p50', std: 'sd', min: 'min', max: 'max' };

/** The name of a value: a metric of the registry, or an extra with its own name. */
export type ValueName = { kind: 'metric'; name: MetricName } | { kind: 'extra'; name: string };

/**
 * The name of one statistic of a latency: `mean` of `ttft_ms` is `ttft_ms_mean`. Percentiles that the registry does not have
 * become extras: `p75` is `ttft_ms_p75`, `p99.9` is `ttft_ms_p999`.
 */
export function latencyName(family: string, word: string): ValueName {
  const statistic = statistics[word] ?? word.replace('.', '');
  const name = `${family}_${statistic}`;
  const metric = findMetric(name);
  // A bare base resolves to its mean, so compare the name with the requested one.
  return metric?.name === name ? { kind: 'metric', name: metric.name } : { kind: 'extra', name };
}
