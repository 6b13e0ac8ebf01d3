import type { Replication } from '@inferboard/core/claims/judge-claims';
import { type MetricName, metrics } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { pointStatistics, valueStatistics } from '@inferboard/core/statistics/point-statistics';
import type { ResultStatus, Trust } from '@inferboard/core/subjects/result';
import type { StoredStatistics } from '../boards/lists/row-types.ts';
import type { Contribution } from './contribution.ts';

/** The summary of one metric. */
export interface Figure {
  statistics: StoredStatistics;
  /** Sorted names of the tools behind the values. */
  tools: readonly string[];
  /** True if we derived some of the values. */
  isDerived: boolean;
}

/** One metric base by one formula; `definition` is null if none was recorded. */
export interface DefinitionGroup {
  base: string;
  definition: string | null;
  figures: Map<MetricName, Figure>;
  /** True if a tool averaged, or may have averaged, repetitions behind some of the values. */
  hasRepeats: boolean;
}

/** Findings on a claim's results, and the number that are warnings or violations. */
export interface Doubts {
  findings: number;
  warnings: number;
}

/** Identifies a claim: an account's results at a point with one kind of evidence and one status. */
export interface ClaimKey {
  pointId: number;
  status: ResultStatus;
  account: string;
  ownTrust: Trust;
}

/** The summary of a claim's results. */
export interface ClaimSummary extends ClaimKey, Doubts {
  results: number;
  /** Number of underlying repetitions: a tool may average several into one result. */
  runs: number;
  /** Id of the earliest. */
  firstResultId: string;
  /** Trust that takes other accounts' results at the point into account. */
  trust: Trust;
  /** True for the claim that represents the point. */
  stands: boolean;
  disputed: boolean;
  /** Agreement of other accounts; null for other claims than the representative one, and if there are no others. */
  replication: Replication | null;
  groups: DefinitionGroup[];
  /** Ids of the transactions that last wrote the claim and last computed it from its results. Set on stored claims only. */
  writtenBy?: string;
  summedBy?: string;
}

/**
 * Number of newest results that medians and outliers are computed from. Both need every value, while n, mean, sd, minimum and
 * maximum update incrementally.
 */
export const newestMost = 1000;

const familyOf = new Map(metrics.map(({ name, family }) => [name, family]));

/** Values of one metric and their results, in the same order. */
interface Given {
  values: readonly number[];
  results: readonly Contribution[];
  /** The sorted values, if no result averages repetitions. */
  inOrder?: readonly number[];
}

const isOneRun = ({ repeats }: Contribution) => repeats === null;

export function statisticsOf(metric: MetricName, { values, results, inOrder }: Given): StoredStatistics {
  const statistics =
    inOrder !== undefined || results.every(isOneRun)
      ? // Most points: single runs only.
        valueStatistics(values, values.length, 'results', inOrder)
      : pointStatistics(
          results.map(({ repeats }, index) => {
            const value = values[index] as number; // same length as results
            if (repeats === null) return { value, repeats: null };
            const { n, sd, samples } = repeats;
            return { value, repeats: { n, sd: sd?.[metric] ?? null, samples: samples?.[metric] ?? null } };
          }),
        );
  const oneEach = statistics.basis === 'results';
  const outliers = statistics.outliers.map((outlier) => ({
    ...outlier,
    result_id: oneEach ? (results[outlier.index]?.id ?? null) : null,
  }));
  return { ...statistics, outliers };
}

export function familyFor(metric: MetricName): MetricFamily {
  const family = familyOf.get(metric);
  if (family === undefined) throw new Error(`${metric} is not in the registry`);
  return family;
}

interface Collected {
  base: string;
  definition: string | null;
  given: Map<MetricName, { values: number[]; results: Contribution[] }>;
}

/** Values by base and formula, in the order of the results. */
export function collect(results: readonly Contribution[]): Collected[] {
  const groups: Collected[] = [];
  const byBase = new Map<string, Collected[]>();
  const groupOf = (base: string, definition: string | null): Collected => {
    const ofBase = byBase.get(base) ?? [];
    const known = ofBase.find((other) => other.definition === definition);
    if (known !== undefined) return known;
    const group: Collected = { base, definition, given: new Map() };
    groups.push(group);
    byBase.set(base, [...ofBase, group]);
    return group;
  };
  for (const result of results) {
    for (const values of result.values) {
      for (const name in values) {
        const metric = name as MetricName; // an own property name, so the cast is safe
        const { base } = familyFor(metric);
        const value = values[metric] as number;
        const { given } = groupOf(base, result.definitions[base] ?? null);
        const of = given.get(metric);
        if (of === undefined) given.set(metric, { values: [value], results: [result] });
        else {
          of.values.push(value);
          of.results.push(result);
        }
      }
    }
  }
  return groups;
}

/** Distinct words in order. If all lists are the same object, returns that list. */
export function together(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = []] = lists;
  return lists.every((list) => list === first) ? first : [...new Set(lists.flat())].sort();
}

const toolsOf = (results: readonly Contribution[]) => together(results.map(({ tool }) => [tool]));

/** The figures of one claim's results, given in id order. */
function groupsOf(results: readonly Contribution[]): DefinitionGroup[] {
  // Rows that are not repetitions of one another have no mean.
  if (results[0]?.status === 'not_repetitions') return [];
  // One tool measured most points, so all figures share its list.
  const tools = toolsOf(results);
  const hasRepeats = !results.every(isOneRun);
  return collect(results).map(({ base, definition, given }): DefinitionGroup => {
    const figures = new Map<MetricName, Figure>();
    for (const [metric, of] of given) {
      figures.set(metric, {
        statistics: statisticsOf(metric, of),
        tools: tools.length === 1 ? tools : toolsOf(of.results),
        isDerived: of.results.some(({ derived }) => derived.includes(metric)),
      });
    }
    const isRepeated = () => [...given.values()].some((of) => !of.results.every(isOneRun));
    return { base, definition, figures, hasRepeats: hasRepeats && isRepeated() };
  });
}

/** The figures of a claim's newest results, given in id order. */
export const newestGroups = (results: readonly Contribution[]): DefinitionGroup[] =>
  groupsOf(results.slice(-newestMost));

/**
 * Sets the medians and outliers of a claim with more than `newestMost` results, from the newest ones.
 *
 * @param ordered the figures of the newest results
 */
export function withOrderOf(claim: ClaimSummary, ordered: readonly DefinitionGroup[]): ClaimSummary {
  const groups = claim.groups.map((group): DefinitionGroup => {
    const of = ordered.find(({ base, definition }) => base === group.base && definition === group.definition);
    const figures = [...group.figures].map(([metric, figure]): [MetricName, Figure] => {
      const { median = null, outliers = [] } = of?.figures.get(metric)?.statistics ?? {};
      // The single values behind pooled statistics are unknown.
      const isKnown = figure.statistics.basis === 'results' || figure.statistics.basis === 'samples';
      const order = isKnown ? { median, outliers } : { median: null, outliers: [] };
      return [metric, { ...figure, statistics: { ...figure.statistics, ...order } }];
    });
    return { ...group, figures: new Map(figures) };
  });
  return { ...claim, groups };
}

/**
 * Summarizes the results of one claim, given in id order, without regard to other claims at its point.
 *
 * @param groups the figures of all results, if known
 */
export function summariseClaim(
  results: readonly Contribution[],
  doubts: Doubts,
  groups: DefinitionGroup[] = groupsOf(results),
): ClaimSummary {
  const [first] = results;
  if (first === undefined) throw new Error('statistics of no results');
  const { pointId, status, account, ownTrust } = first;
  const claim: ClaimSummary = {
    ...{ pointId, status, account, ownTrust },
    results: results.length,
    runs: results.reduce((sum, { repeats }) => sum + (repeats?.n ?? 1), 0),
    firstResultId: first.id,
    trust: ownTrust,
    stands: true,
    disputed: false,
    replication: null,
    ...doubts,
    groups,
  };
  return results.length > newestMost ? withOrderOf(claim, newestGroups(results)) : claim;
}
