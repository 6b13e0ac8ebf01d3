import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { doublePrecision } from 'drizzle-orm/pg-core';

/** One nullable column per metric of the registry: a missing value is null, never 0. */
export function metricColumns(): Record<MetricName, ReturnType<typeof doublePrecision>> {
  return Object.fromEntries(metricNames.map((name) => [name, doublePrecision(name)])) as Record<
    MetricName,
    ReturnType<typeof doublePrecision>
  >;
}
