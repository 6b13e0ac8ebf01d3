import type { Repeats } from '@inferboard/core/adapters/adapter';
import { type MetricName, metrics } from '@inferboard/core/metrics/index';
import type { MetricFamily } from '@inferboard/core/metrics/metric';
import { type CheckedResult, type ResultStatus, type Trust, trustLevels } from '@inferboard/core/result';
import { pointStatistics } from '@inferboard/core/statistics/point-statistics';
import type { Replication } from '@inferboard/core/statistics/replication';
import type { StoredStatistics } from '../queries/row-types.ts';
import type { Row } from '../rows.ts';
import { type PackedRow, packStatistics, unpackRow } from './packed.ts';

/** Which result it is, and whose. */
export interface ContributionPlace {
  id: string;
  pointId: number;
  account: string;
}

/** What of a result enters the statistics of its point. */
export interface Contribution extends ContributionPlace {
  status: ResultStatus;
  tool: string;
  /** What the result is believed for itself. */
  trust: Trust;
  definitions: Record<string, string>;
  derived: readonly string[];
  repeats: { n: number | null; sd: Repeats['sd'] | null; samples: Repeats['samples'] } | null;
  values: readonly (readonly [MetricName, number])[];
}

/** One metric base by one formula; `definition` is null where none was recorded. */
export interface DefinitionGroup {
  base: string;
  definition: string | null;
  /** Metrics some of whose values we computed. */
  derived: Set<MetricName>;
  statistics: Map<MetricName, StoredStatistics>;
  /** Tools behind each of them, in order. */
  tools: Map<MetricName, readonly string[]>;
  /** True where a tool averaged repetitions behind some of the values, or may have. */
  hasRepeats: boolean;
}

/** Findings over a standing's results, and those of them that are warnings or violations. */
export interface Doubts {
  findings: number;
  warnings: number;
}

/** The results of a point that have one status, summed up. */
export interface Standing extends Doubts {
  pointId: number;
  status: ResultStatus;
  results: number;
  trust: Trust;
  /** Null where one account measured. */
  replication: Replication | null;
  groups: DefinitionGroup[];
}

/**
 * With more results than this a standing has neither medians nor outliers: both need every value, while n, mean and sd
 * take in a new value without looking at the old ones.
 */
export const resultsWithMedianMax = 1000;

const familyOf = new Map(metrics.map(({ name, family }) => [name, family]));
const preferences = new Map(
  metrics.map(({ family }) => [family.base, new Map(family.definitions.map(({ id }, place) => [id, place]))]),
);

export const strongestOf = (a: Trust, b: Trust): Trust => (trustLevels.indexOf(a) <= trustLevels.indexOf(b) ? a : b);

/** Without what a large standing does not have. */
export function withoutOrder(statistics: StoredStatistics): StoredStatistics {
  return { ...statistics, median: null, outliers: [] };
}

/** A result as it enters the statistics of its point, without being stored first. */
export function toContribution(result: CheckedResult, place: ContributionPlace): Contribution {
  const values = Object.entries({ ...result.derived, ...result.metrics }) as [MetricName, number][];
  const { definitions, repeats, status, trust, tool } = result;
  return {
    ...place,
    status,
    tool: tool.name,
    trust,
    definitions,
    derived: Object.keys(result.derived),
    repeats,
    values,
  };
}

type Given = { result: Contribution; value: number };

export function statisticsOf(metric: MetricName, given: readonly Given[]): StoredStatistics {
  const statistics = pointStatistics(
    given.map(({ result: { repeats }, value }) => {
      if (repeats === null) return { value, repeats: null };
      const { n, sd, samples } = repeats;
      return { value, repeats: { n, sd: sd?.[metric] ?? null, samples: samples?.[metric] ?? null } };
    }),
  );
  const oneEach = statistics.basis === 'results';
  const outliers = statistics.outliers.map((outlier) => ({
    ...outlier,
    result_id: oneEach ? (given[outlier.index]?.result.id ?? null) : null,
  }));
  return { ...statistics, outliers };
}

function familyFor(metric: MetricName): MetricFamily {
  const family = familyOf.get(metric);
  if (family === undefined) throw new Error(`${metric} is not in the registry`);
  return family;
}

interface Collected {
  base: string;
  definition: string | null;
  given: Map<MetricName, Given[]>;
}

/** Values by base and formula, in the order of the results. */
export function collect(results: readonly Contribution[]): Collected[] {
  const groups: Collected[] = [];
  const byBase = new Map<string, Collected[]>();
  for (const result of results) {
    for (const [metric, value] of result.values) {
      const { base } = familyFor(metric);
      const definition = result.definitions[base] ?? null;
      const ofBase = byBase.get(base) ?? [];
      byBase.set(base, ofBase);
      let group = ofBase.find((other) => other.definition === definition);
      if (group === undefined) {
        group = { base, definition, given: new Map() };
        ofBase.push(group);
        groups.push(group);
      }
      const given = group.given.get(metric);
      if (given === undefined) group.given.set(metric, [{ result, value }]);
      else given.push({ result, value });
    }
  }
  return groups;
}

const setOf = (tools: Iterable<string>) => [...new Set(tools)].sort();

function toolsOf(given: readonly Given[]): readonly string[] {
  const first = given[0]?.result.tool;
  return first !== undefined && given.every(({ result }) => result.tool === first)
    ? [first]
    : setOf(given.map(({ result }) => result.tool));
}

/** Sums up results of one point and status, given in the order of their ids. */
export function toStanding(
  results: readonly Contribution[],
  doubts: Doubts,
  replication: Replication | null = null,
): Standing {
  const [first] = results;
  if (first === undefined) throw new Error('statistics of no results');
  const isLarge = results.length > resultsWithMedianMax;
  const groups = collect(results).map(({ base, definition, given }): DefinitionGroup => {
    const entries = [...given];
    const isOurs = ([metric, of]: [MetricName, Given[]]) => of.some(({ result }) => result.derived.includes(metric));
    return {
      base,
      definition,
      derived: new Set(entries.filter(isOurs).map(([metric]) => metric)),
      statistics: new Map(
        entries.map(([metric, of]) => {
          const statistics = statisticsOf(metric, of);
          return [metric, isLarge ? withoutOrder(statistics) : statistics];
        }),
      ),
      tools: new Map(entries.map(([metric, of]) => [metric, toolsOf(of)])),
      hasRepeats: entries.some(([, of]) => of.some(({ result }) => result.repeats !== null)),
    };
  });
  return {
    pointId: first.pointId,
    status: first.status,
    results: results.length,
    trust: [
      ...results.map((result) => result.trust),
      ...((replication?.replicated.length ?? 0) > 0 ? ['replicated' as const] : []),
    ].reduce(strongestOf),
    replication,
    ...doubts,
    groups,
  };
}

/** Preferred formula first: the registry's order, then ids it does not know, then values without one. */
function compareDefinitions(a: DefinitionGroup, b: DefinitionGroup): number {
  const place = ({ base, definition }: DefinitionGroup) =>
    definition === null ? Number.POSITIVE_INFINITY : (preferences.get(base)?.get(definition) ?? Number.MAX_VALUE);
  const [first, second] = [place(a), place(b)];
  if (first !== second) return first - second;
  return (a.definition ?? '') < (b.definition ?? '') ? -1 : 1;
}

/** The two columns of a row's statistics, by metric. */
function packAll(
  statistics: readonly (readonly [MetricName, StoredStatistics])[],
  toolsOfMetric: (metric: MetricName) => readonly string[] | undefined,
): Pick<PackedRow, 'spreads' | 'statistics'> {
  const packed: Pick<PackedRow, 'spreads' | 'statistics'> = { spreads: {}, statistics: {} };
  for (const [metric, of] of statistics) {
    const { spread, rest } = packStatistics(of, toolsOfMetric(metric));
    if (spread !== undefined) packed.spreads[metric] = spread;
    if (rest !== undefined) packed.statistics[metric] = rest;
  }
  return packed;
}

/** The rows of a standing: the k-th holds, for each metric base, the values by the k-th formula it has. */
export function toStatisticsRows(standing: Standing): Row[] {
  const byBase = Map.groupBy(standing.groups, (group) => group.base);
  const variants: DefinitionGroup[][] = [[]];
  for (const groups of byBase.values()) {
    for (const [variant, group] of groups.toSorted(compareDefinitions).entries()) {
      const row = variants[variant];
      if (row === undefined) variants.push([group]);
      else row.push(group);
    }
  }
  const { pointId, status, results, trust, findings, warnings, replication } = standing;
  return variants.map((groups, variant) => {
    const statistics = groups.flatMap((group) => [...group.statistics]);
    const tools = new Map(groups.flatMap((group) => [...group.tools]));
    const all = setOf([...tools.values()].flat());
    // Most points were measured by one tool.
    const ofMetric = (metric: MetricName) => {
      const own = tools.get(metric) ?? all;
      return own.length === all.length ? undefined : own;
    };
    return {
      point_id: pointId,
      status,
      variant,
      definitions: Object.fromEntries(
        groups.flatMap(({ base, definition }) => (definition === null ? [] : [[base, definition]])),
      ),
      derived: groups.flatMap((group) => [...group.derived]).sort(),
      results,
      trust,
      tools: all,
      findings,
      warnings,
      replication,
      ...packAll(statistics, ofMetric),
      ...Object.fromEntries(statistics.map(([metric, { mean }]) => [metric, mean])),
    };
  });
}

/** What `toStatisticsRows` was given, from all rows of one standing. */
export function readStanding(rows: readonly PackedRow[]): Standing {
  const [first] = rows;
  if (first === undefined) throw new Error('a standing of no rows');
  const groups = rows.flatMap((row): DefinitionGroup[] => {
    const entries = Object.entries(unpackRow(row).statistics) as [MetricName, StoredStatistics][];
    return [...Map.groupBy(entries, ([metric]) => familyFor(metric).base)].map(([base, of]) => ({
      base,
      definition: row.definitions[base] ?? null,
      derived: new Set(of.map(([metric]) => metric).filter((metric) => row.derived.includes(metric))),
      statistics: new Map(of),
      tools: new Map(of.map(([metric]) => [metric, row.spreads[metric]?.[2] ?? row.tools])),
      hasRepeats: true,
    }));
  });
  const { point_id: pointId, status, results, trust, findings, warnings, replication } = first;
  return { pointId: Number(pointId), status, results, trust, findings, warnings, replication, groups };
}
