import { metricFamilies } from '../metrics/index.ts';
import type { MetricFamily } from '../metrics/metric.ts';
import { answer, type Check, type Doubt, isAbove } from './check.ts';

function checkFamily(family: MetricFamily, metrics: Record<string, number | undefined>): Doubt[] {
  const mean = metrics[`${family.base}_mean`];
  const min = metrics[`${family.base}_min`];
  const max = metrics[`${family.base}_max`];
  if (mean === undefined) return [];
  const outside = (min !== undefined && isAbove(min, mean)) || (max !== undefined && isAbove(mean, max));
  if (!outside) return [];
  return [
    {
      severity: 'violation',
      message: `${family.title}: the mean (${mean} ${family.unit}) lies outside its own range ${min ?? '?'} to ${max ?? '?'} ${family.unit}.`,
      evidence: { metric: family.base, mean, min: min ?? null, max: max ?? null },
    },
  ];
}

/** Metrics that have statistics at all. */
const distributions = metricFamilies.filter((family: MetricFamily) => family.statistics !== null);

export const a5MeanWithinRange: Check = {
  id: 'A5',
  code: 'mean_outside_range',
  title: 'The mean lies between minimum and maximum',
  rule: '',
  check: ({ result: { metrics } }) => answer(distributions.flatMap((family) => checkFamily(family, metrics))),
};
