import { findMetric, type MetricName, metrics } from '../metrics/index.ts';
import type { Bound, Filters } from './filters.ts';

/** Percentiles that many tools omit, with the higher ones that they print, in order. */
const higher: Readonly<Record<string, readonly string[]>> = { p90: ['p95', 'p99'], p95: ['p99'] };

const known: ReadonlySet<string> = new Set(metrics.map(({ name }) => name));

/**
 * The metrics to test a bound on, first choice first. A higher percentile below the limit meets an upper limit on p90 or p95
 * of a latency, because p90 <= p95 <= p99. It is used only for a point that does not state the percentile itself.
 *
 * @returns at least the bound's own metric
 */
export function metricsOfBound({
  metric,
  side,
}: Pick<Bound, 'metric' | 'side'>): readonly [MetricName, ...MetricName[]] {
  const { family, statistic } = findMetric(metric) ?? {};
  if (side === 'min' || family?.direction !== 'lower' || statistic == null) return [metric];
  const names = (higher[statistic] ?? []).map((percentile) => `${family.base}_${percentile}`);
  return [metric, ...(names.filter((name) => known.has(name)) as MetricName[])];
}

/** Returns all metrics that the bounds are tested on, each once. */
export const boundedMetrics = ({ bounds }: Pick<Filters, 'bounds'>): MetricName[] => [
  ...new Set(bounds.flatMap(metricsOfBound)),
];
