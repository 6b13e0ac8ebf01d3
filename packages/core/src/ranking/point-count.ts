import { metricsOfBound } from '../filters/bounds.ts';
import type { Filters } from '../filters/filters.ts';
import { type Metric, type MetricName, unrankedGroups } from '../metrics/index.ts';
import { type ResultStatus, resultStatuses, type Trust } from '../subjects/result.ts';
import type { ChosenDefinitions } from './formulas.ts';
import { factsToName, unspecifiedReasons } from './named-facts.ts';
import type { Dimension } from './subject.ts';

/** Points that boards count together: same workload, status, trust and shape. */
export interface PointCount {
  workload: string;
  status: ResultStatus;
  trust: Trust;
  /** Omitted facts of their systems, one bit for each of `unspecifiedReasons`. */
  unnamed: number;
  /** Their metrics by variant, with the group of each formula: `itl_ms_mean:gaps,output_tok_s:|output_tok_s:`. */
  shape: string;
  /** Variants with a result whose sender matches the filters; null if there is no sender filter. */
  variants: readonly number[] | null;
  points: number;
}

/** Requirements for a point to be ranked. */
export interface Needs {
  metrics: readonly Metric[];
  filters: Filters;
  /** The subject of an entry, or the row and the column. */
  dimensions: readonly Dimension[];
}

/** Returns a metric's group in a variant of a shape: '' if no formula is recorded, null if it has no value. */
function groupIn(variant: string, metric: MetricName): string | null {
  const words = `,${variant},`;
  const at = words.indexOf(`,${metric}:`);
  if (at < 0) return null;
  const from = at + metric.length + 2;
  return words.slice(from, words.indexOf(',', from));
}

/** Returns the groups of each variant that has all ranked and all bounded metrics. */
function completeVariants({ shape, variants }: PointCount, { metrics, filters }: Needs): string[][] {
  const bounded = filters.bounds.map(metricsOfBound);
  return shape.split('|').flatMap((variant, place) => {
    if (variants !== null && !variants.includes(place)) return [];
    const groups = metrics.map(({ name }) => groupIn(variant, name));
    const isBounded = bounded.every((names) => names.some((name) => groupIn(variant, name) !== null));
    return groups.includes(null) || !isBounded ? [] : [groups as string[]];
  });
}

/** Returns the bits of the facts that systems must name. */
export function requiredFacts({ dimensions, filters }: Pick<Needs, 'dimensions' | 'filters'>): number {
  const reasons = factsToName(dimensions, filters);
  return reasons.reduce((bits, reason) => bits | (1 << unspecifiedReasons.indexOf(reason)), 0);
}

/** The requirements in the form that each count is compared with. */
interface Tests {
  filters: Filters;
  /** Facts that systems must name. */
  facts: ReturnType<typeof factsToName>;
  /** The groups of each complete variant. Many counts share a shape. */
  variantsOf(count: PointCount): string[][];
}

function testsOf(needs: Needs): Tests {
  const known = new Map<string, string[][]>();
  return {
    filters: needs.filters,
    facts: factsToName(needs.dimensions, needs.filters),
    variantsOf: (count) => {
      const key = count.variants === null ? count.shape : `${count.variants} ${count.shape}`;
      const variants = known.get(key) ?? completeVariants(count, needs);
      known.set(key, variants);
      return variants;
    },
  };
}

/** Returns the first reason why points are omitted; null if only bounds can omit them. */
function reasonOut(count: PointCount, { filters, facts, variantsOf }: Tests): string | null {
  const { status, trust, unnamed } = count;
  if (status !== 'accepted' && !filters.include.includes(status)) return status;
  if (filters.trust !== undefined && !filters.trust.includes(trust)) return 'below_trust';
  const missing = facts.find((reason) => (unnamed & (1 << unspecifiedReasons.indexOf(reason))) !== 0);
  return missing ?? (variantsOf(count).length === 0 ? 'missing_metric' : null);
}

const reasons = [...resultStatuses, 'below_trust', ...unspecifiedReasons, 'missing_metric', 'other_definition'];

/**
 * Counts omitted points by the first applicable reason. Points that only miss a bound do not match the request and are not
 * counted, even if they also have another formula.
 *
 * @param chosen the compared formulas of each metric
 */
export function countExcluded(
  counts: readonly PointCount[],
  needs: Needs,
  chosen: readonly (ChosenDefinitions | null)[],
): Record<string, number> {
  const sums = new Map<string, number>();
  const tests = testsOf(needs);
  const unranked = needs.metrics.map(({ family }) => unrankedGroups(family));
  const isCompared = (groups: readonly string[]) =>
    groups.every((group, at) => {
      const isRanked = unranked[at]?.includes(group) !== true;
      return isRanked && ((chosen[at] ?? null) === null || chosen[at]?.group === group);
    });
  for (const count of counts) {
    const isOther = () => needs.filters.bounds.length === 0 && !tests.variantsOf(count).some(isCompared);
    const reason = reasonOut(count, tests) ?? (isOther() ? 'other_definition' : null);
    if (reason !== null) sums.set(reason, (sums.get(reason) ?? 0) + count.points);
  }
  return Object.fromEntries(
    reasons.map((reason) => [reason, sums.get(reason) ?? 0] as const).filter(([, points]) => points > 0),
  );
}
