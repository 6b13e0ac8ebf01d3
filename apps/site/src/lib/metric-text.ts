import { findFamily, findMetric, type Metric, metrics } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';

/** A metric by the name a result carries it under; null for a name the registry does not know. */
export function metricOf(name: string): Metric | null {
  return findMetric(name);
}

/** What a heading needs of a metric, or of a figure that is made only when somebody asks. */
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

/** The order in which the better values come first, as the API defaults to it. */
export function naturalOrder(metric: Titled | null): 'asc' | 'desc' {
  return metric?.family.direction === 'lower' ? 'asc' : 'desc';
}

/** The words of a definition that a result carries for a metric, by value name or by family; null if none is told. */
export function definitionText(
  definitions: Record<string, string>,
  metric: { name: string; family: MetricFamily },
): string | null {
  const id = definitions[metric.name] ?? definitions[metric.family.base];
  if (id === undefined) return null;
  return findFamily(metric.family.base)?.definitions.find((definition) => definition.id === id)?.title ?? null;
}

/** The formulas that a board's definition group holds, in words. */
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

/** Metrics worth ranking by, in registry order under a heading each. */
export const rankableGroups: readonly MetricGroup[] = (() => {
  const groups = new Map<string, Metric[]>();
  for (const metric of metrics) {
    if (metric.family.direction === 'neutral' || unranked.has(metric.statistic ?? '')) continue;
    const title = groupTitle(metric.family);
    groups.set(title, [...(groups.get(title) ?? []), metric]);
  }
  return [...groups].map(([title, list]) => ({ title, metrics: list }));
})();

/** What a reader compares first: means of latencies, rates and efficiencies; no counts, no spreads. */
export const headlineMetrics: readonly Metric[] = metrics.filter(
  ({ family, statistic }) => family.direction !== 'neutral' && (statistic === null || statistic === 'mean'),
);

/** Names with at least one value among the rows, in registry order. */
export function presentMetrics(rows: readonly Record<string, unknown>[]): Metric[] {
  return metrics.filter(({ name }) => rows.some((row) => row[name] !== null && row[name] !== undefined));
}

/** The families behind some metrics, each once. */
export function familiesOf(list: readonly Metric[]): MetricFamily[] {
  return [...new Set(list.map(({ family }) => family))];
}
