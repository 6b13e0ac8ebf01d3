import { findMetric } from '@inferboard/core/metrics/index';
import type { QualityRow } from '@inferboard/db/catalogue/quality-list';
import { shortSystem } from '../short/short-views.ts';
import { instant, viewLoad, viewQualityTask } from '../views.ts';

/** Metrics of evaluations; a result has exactly one. */
const names = ['score', 'perplexity', 'kl_divergence'] as const;

/** For a mean of n items: standard deviation / sqrt(n). Otherwise the value that the tool states. */
function standardErrorOf({ extra }: QualityRow, n: number | null, sd: number | null): number | null {
  if (n !== null && n > 1 && sd !== null) return sd / Math.sqrt(n);
  return typeof extra.standard_error === 'number' ? extra.standard_error : null;
}

/** The list view of an evaluation; null if its claim has none of the metrics. */
export function viewQuality(row: QualityRow, base: string) {
  const name = names.find((one) => row[one] !== null);
  const value = name === undefined ? null : row[name];
  if (name === undefined || value === null) return null;
  const family = findMetric(name)?.family;
  const [n = null, sd = null] = row.spreads[name] ?? [];
  const { quality } = viewQualityTask(row.scenario.quality);
  return {
    workload: row.scenario.name,
    task: quality?.task ?? row.scenario.name,
    metric: quality?.metric ?? name,
    variant: quality?.variant ?? null,
    few_shot: quality?.few_shot ?? null,
    context: quality?.context ?? null,
    measure: name,
    better: family?.direction === 'lower' ? ('lower' as const) : ('higher' as const),
    value,
    standard_error: standardErrorOf(row, n, sd),
    n: n ?? (typeof row.extra.samples === 'number' ? row.extra.samples : null),
    system: shortSystem(row.system),
    load: viewLoad(row.load),
    status: row.status as 'accepted',
    trust: row.trust as 'self_reported',
    findings: row.findings,
    tool: row.tool,
    source: row.source,
    measured_at: row.measured_at === null ? null : instant(row.measured_at),
    links: {
      system: `${base}/v1/systems/${row.system.id}`,
      submission: `${base}/v1/submissions/${row.submission_id}`,
      page: `${base}/submissions/${row.submission_id}#${row.result_id}`,
    },
  };
}
