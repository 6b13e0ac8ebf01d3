import { type MetricName, metricFamilies } from '../../metrics/index.ts';
import type { MetricFamily } from '../../metrics/metric.ts';
import type { Result } from '../../subjects/result.ts';
import { type Check, type Doubt, isAbove } from '../check.ts';

/** Statistics from lowest to highest. Those that are not in the registry are kept as extras. */
const ordered = ['min', 'p1', 'p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'p999', 'max'];

interface Place {
  statistic: string;
  metric: MetricName | null;
  /** Its name among the extras if it is not in the registry. */
  extra: string;
}

function placesOf(family: MetricFamily): Place[] {
  return ordered.map((statistic) => {
    const name = `${family.base}_${statistic}`;
    // The family contains the statistic, so the name is in the registry.
    const metric = family.statistics?.includes(statistic) ? (name as MetricName) : null;
    return { statistic: statistic === 'p999' ? 'p99.9' : statistic, metric, extra: name };
  });
}

/** Metrics with statistics, and where to find each statistic. */
const distributions = metricFamilies
  .filter((family: MetricFamily) => family.statistics !== null)
  .map((family: MetricFamily) => ({ family, places: placesOf(family) }));

const numberOr = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Compares neighbors among the given statistics. None may be below the previous one. */
function checkFamily({ family, places }: (typeof distributions)[number], result: Result, doubts: Doubt[]): boolean {
  let lower: { statistic: string; value: number } | null = null;
  let isJudged = false;
  for (const { statistic, metric, extra } of places) {
    const value = metric === null ? numberOr(result.extra[extra]) : result.metrics[metric];
    if (value === undefined) continue;
    isJudged ||= lower !== null;
    if (lower !== null && lower.value > value && isAbove(lower.value, value)) {
      doubts.push({
        severity: 'violation',
        message: `${family.title}: ${lower.statistic} (${lower.value} ${family.unit}) is above ${statistic} (${value} ${family.unit}).`,
        evidence: { metric: family.base, [lower.statistic]: lower.value, [statistic]: value },
      });
    }
    lower = { statistic, value };
  }
  return isJudged;
}

export const a4PercentileOrder: Check = {
  id: 'A4',
  code: 'percentiles_out_of_order',
  title: 'Percentiles do not decrease',
  rule:
    'min <= p50 <= p75 <= p90 <= p95 <= p99 <= p99.9 <= max for every latency, among the statistics that are given (p1 to p25 too), within the rounding of the two figures as written. Needs two of them. ' +
    'A percentile above the next one is a violation: no set of samples has such percentiles.',
  check({ result }) {
    const doubts: Doubt[] = [];
    let isJudged = false;
    for (const distribution of distributions) isJudged = checkFamily(distribution, result, doubts) || isJudged;
    if (!isJudged) return 'not_applicable';
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
