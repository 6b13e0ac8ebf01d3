import { metricFamilies } from '../metrics/index.ts';
import type { MetricFamily } from '../metrics/metric.ts';
import { answer, type Check, type Doubt, isAbove } from './check.ts';

const ordered = ['min', 'p50', 'p90', 'p95', 'p99', 'max'];

/** Neighbours among the statistics that were given, each of which must not fall below the one before it. */
function checkFamily(family: MetricFamily, metrics: Record<string, number | undefined>): Doubt[] {
  const given = ordered.flatMap((statistic) => {
    const value = metrics[`${family.base}_${statistic}`];
    return value === undefined ? [] : [{ statistic, value }];
  });
  return given.flatMap((upper, index) => {
    const lower = given[index - 1];
    if (lower === undefined || !isAbove(lower.value, upper.value)) return [];
    return [
      {
        severity: 'violation' as const,
        message: `${family.title}: ${lower.statistic} (${lower.value} ${family.unit}) is above ${upper.statistic} (${upper.value} ${family.unit}).`,
        evidence: { metric: family.base, [lower.statistic]: lower.value, [upper.statistic]: upper.value },
      },
    ];
  });
}

/** Metrics that have statistics at all. */
const distributions = metricFamilies.filter((family: MetricFamily) => family.statistics !== null);

export const a4PercentileOrder: Check = {
  id: 'A4',
  code: 'percentiles_out_of_order',
  title: 'Percentiles do not decrease',
  rule: '',
  check: ({ result: { metrics } }) => answer(distributions.flatMap((family) => checkFamily(family, metrics))),
};
