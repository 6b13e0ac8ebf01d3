import type { Metric } from '@inferboard/core/metrics/index';
import { onRequestFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { metricOf } from '../../../lib/metric-text.ts';

/** Default metrics of pages that show one value. */
export const speedMetric = 'decode_tok_s';

/** A ranking quantity: a metric of the results, or a cost computed from one. */
export type Ranked = Omit<Metric, 'name'> & { name: string };

/** The ranking quantity of a board; null for a name that this build of the site does not know. */
export function rankedMetric(name: string): Ranked | null {
  const metric = metricOf(name);
  if (metric !== null) return metric;
  const family: MetricFamily | undefined = onRequestFamilies.find(({ base }) => base === name);
  return family === undefined ? null : { name: family.base, family, statistic: null, title: family.title };
}
