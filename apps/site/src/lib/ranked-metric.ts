import type { Metric } from '@inferboard/core/metrics/index';
import { askedFamilies } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { metricOf } from './metric-text.ts';

/** What pages follow that show one figure and ask for none. */
export const speedMetric = 'decode_tok_s';

/** What a board may be ranked by: a metric of the results, or a cost that is made from it. */
export type Ranked = Omit<Metric, 'name'> & { name: string };

/** What a board ranks by; null for a name that this build of the site does not know. */
export function rankedMetric(name: string): Ranked | null {
  const metric = metricOf(name);
  if (metric !== null) return metric;
  const family: MetricFamily | undefined = askedFamilies.find(({ base }) => base === name);
  return family === undefined ? null : { name: family.base, family, statistic: null, title: family.title };
}
