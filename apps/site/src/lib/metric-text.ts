import { findFamily, findMetric, type Metric, metrics } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';

/** A metric by its name in results; null for a name that is not in the registry. */
export function metricOf(name: string): Metric | null {
  return findMetric(name);
}

/** The heading data of a metric or of a value computed on request. */
type Titled = Pick<Metric, 'title' | 'family'>;

/** "TTFT (ms)", "p99 ITL (ms)", "Requests answered". */
export function metricHeading(metric: Titled): string {
  return metric.family.unit === '' ? metric.title : `${metric.title} (${metric.family.unit})`;
}

/** "output throughput per GPU", "TTFT": a title within a sentence. */
export const inSentence = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? `${title[0]?.toLowerCase()}${title.slice(1)}` : title;

export function directionText(metric: Titled): string {
  if (metric.family.direction === 'neutral') return '';
  return metric.family.direction === 'lower' ? 'lower is better' : 'higher is better';
}

/** The order with the better values first, the API's default. */
export function naturalOrder(metric: Titled | null): 'asc' | 'desc' {
  return metric?.family.direction === 'lower' ? 'asc' : 'desc';
}

/** The definition text of a result's metric, by value name or by family; null without one. */
export function definitionText(
  definitions: Record<string, string>,
  metric: { name: string; family: MetricFamily },
): string | null {
  const id = definitions[metric.name] ?? definitions[metric.family.base];
  if (id === undefined) return null;
  return findFamily(metric.family.base)?.definitions.find((definition) => definition.id === id)?.title ?? null;
}

/** The definitions of a board's definition group, in words. */
export function definitionGroupText(metric: Titled, group: string | null): string | null {
  if (group === null) return null;
  const titles = metric.family.definitions.filter((definition) => definition.group === group).map(({ title }) => title);
  return titles.length === 0 ? null : titles.join('; or ');
}

export interface MetricGroup {
  title: string;
  metrics: Metric[];
}

const unranked: ReadonlySet<string> = new Set(['min', 'max', 'sd']);

function groupTitle(family: MetricFamily): string {
  if (family.kind === 'kernel') return 'Kernels';
  if (family.kind === 'training') return 'Training';
  if (family.kind === 'quality') return 'Quality';
  if (family.statistics !== null) return family.title;
  return family.derived ? 'Efficiency' : 'Throughput and counts';
}

/** Ranking metrics, in registry order by heading. */
export const rankableGroups: readonly MetricGroup[] = (() => {
  const groups = new Map<string, Metric[]>();
  for (const metric of metrics) {
    if (metric.family.direction === 'neutral' || unranked.has(metric.statistic ?? '')) continue;
    const title = groupTitle(metric.family);
    groups.set(title, [...(groups.get(title) ?? []), metric]);
  }
  return [...groups].map(([title, list]) => ({ title, metrics: list }));
})();

/** The main metrics: means of latencies, rates and efficiencies, without counts and standard deviations. */
export const headlineMetrics: readonly Metric[] = metrics.filter(
  ({ family, statistic }) => family.direction !== 'neutral' && (statistic === null || statistic === 'mean'),
);

/** Names that at least one row has, in registry order. */
export function presentMetrics(rows: readonly Record<string, unknown>[]): Metric[] {
  return metrics.filter(({ name }) => rows.some((row) => row[name] !== null && row[name] !== undefined));
}

/** The families of some metrics, without duplicates. */
export function familiesOf(list: readonly Metric[]): MetricFamily[] {
  return [...new Set(list.map(({ family }) => family))];
}
