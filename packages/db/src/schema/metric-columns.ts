import { type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { type BoundMetric, boundMetrics } from '@inferboard/core/ranking/walked';
import { doublePrecision } from 'drizzle-orm/pg-core';

type Columns<Name extends MetricName> = Record<Name, ReturnType<typeof doublePrecision>>;

const columnsOf = <Name extends MetricName>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, doublePrecision(name)])) as unknown as Columns<Name>;

/** One nullable column per metric of the registry: a missing value is null, never 0. */
export const metricColumns = (): Columns<MetricName> => columnsOf(metricNames);

/** Columns of the metrics that support bounds. */
export const boundColumns = (): Columns<BoundMetric> => columnsOf(boundMetrics);
