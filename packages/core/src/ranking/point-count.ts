import type { Filters } from '../filters/filters.ts';
import type { Metric, MetricName } from '../metrics/index.ts';
import { type ResultStatus, resultStatuses, type Trust } from '../result.ts';
import type { ChosenDefinitions } from './formulas.ts';
import { factsToName, unspecifiedReasons } from './named-facts.ts';
import type { Dimension } from './subject.ts';

/** Points that boards count together: of one workload, standing, trust and shape. */
export interface PointCount {
  workload: string;
  status: ResultStatus;
  trust: Trust;
  /** Facts that their systems leave out, a bit for each of `unspecifiedReasons`. */
  unnamed: number;
  /** Their metrics by variant, each with the group of its formula: `itl_ms_mean:gaps,output_tok_s:|output_tok_s:`. */
  shape: string;
  /** Variants with a result that was sent as the filters ask; null where they do not ask. */
  variants: readonly number[] | null;
  points: number;
}

/** What a point needs to be ranked. */
export interface Needs {
  metrics: readonly Metric[];
  filters: Filters;
  /** What has one entry each, or a row and a column. */
  dimensions: readonly Dimension[];
}

/** The group of a metric in a variant of a shape: '' where no formula is recorded, null where it has no value. */
function groupIn(variant: string, metric: MetricName): string | null {
  const words = `,${variant},`;
  const at = words.indexOf(`,${metric}:`);
  if (at < 0) return null;
  const from = at + metric.length + 2;
  return words.slice(from, words.indexOf(',', from));
}

/** The groups of the metrics of each variant that has all of them and all that are bounded. */
function completeVariants({ shape, variants }: PointCount, { metrics, filters }: Needs): string[][] {
  const names = [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric)];
  return shape.split('|').flatMap((variant, place) => {
    if (variants !== null && !variants.includes(place)) return [];
    const groups = names.map((name) => groupIn(variant, name));
    return groups.includes(null) ? [] : [groups.slice(0, metrics.length) as string[]];
  });
}

/** The bits of the facts that systems must name. */
export function requiredFacts({ dimensions, filters }: Pick<Needs, 'dimensions' | 'filters'>): number {
  const reasons = factsToName(dimensions, filters);
  return reasons.reduce((bits, reason) => bits | (1 << unspecifiedReasons.indexOf(reason)), 0);
}

/** Why points are left out, the first reason that holds; null where they have all that they need but for bounds. */
function reasonOut(count: PointCount, needs: Needs): string | null {
  const { filters, dimensions } = needs;
  const { status, trust, unnamed } = count;
  if (status !== 'accepted' && !filters.include.includes(status)) return status;
  if (filters.trust !== undefined && !filters.trust.includes(trust)) return 'below_trust';
  const missing = factsToName(dimensions, filters).find(
    (reason) => (unnamed & (1 << unspecifiedReasons.indexOf(reason))) !== 0,
  );
  return missing ?? (completeVariants(count, needs).length === 0 ? 'missing_metric' : null);
}

const reasons = [...resultStatuses, 'below_trust', ...unspecifiedReasons, 'missing_metric', 'other_definition'];

/**
 * Points left out, by the first reason that holds. Those that merely miss a bound are not what was asked for, and not
 * counted; whether they have another formula is then not known here either.
 *
 * @param chosen of each metric the formulas that are compared
 */
export function countExcluded(
  counts: readonly PointCount[],
  needs: Needs,
  chosen: readonly (ChosenDefinitions | null)[],
): Record<string, number> {
  const sums = new Map<string, number>();
  const isCompared = (groups: readonly string[]) =>
    groups.every((group, at) => (chosen[at] ?? null) === null || chosen[at]?.group === group);
  for (const count of counts) {
    const isOther = () => needs.filters.bounds.length === 0 && !completeVariants(count, needs).some(isCompared);
    const reason = reasonOut(count, needs) ?? (isOther() ? 'other_definition' : null);
    if (reason !== null) sums.set(reason, (sums.get(reason) ?? 0) + count.points);
  }
  return Object.fromEntries(
    reasons.map((reason) => [reason, sums.get(reason) ?? 0] as const).filter(([, points]) => points > 0),
  );
}
