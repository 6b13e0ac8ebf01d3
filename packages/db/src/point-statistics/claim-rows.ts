import { type MetricName, metrics } from '@inferboard/core/metrics/index';
import type { StoredStatistics } from '../boards/lists/row-types.ts';
import type { Row } from '../connection/rows.ts';
import { type ClaimSummary, type DefinitionGroup, type Figure, familyFor, together } from './claim-summary.ts';
import { type PackedRow, packStatistics, unpackRow } from './packed.ts';

const preferences = new Map(
  metrics.map(({ family }) => [family.base, new Map(family.definitions.map(({ id }, place) => [id, place]))]),
);

/** Preferred formula first: registry order, then unknown ids, then values without a formula. */
function compareDefinitions(a: DefinitionGroup, b: DefinitionGroup): number {
  const place = ({ base, definition }: DefinitionGroup) =>
    definition === null ? Number.POSITIVE_INFINITY : (preferences.get(base)?.get(definition) ?? Number.MAX_VALUE);
  const [first, second] = [place(a), place(b)];
  if (first !== second) return first - second;
  return (a.definition ?? '') < (b.definition ?? '') ? -1 : 1;
}

/** The two statistics columns of a row, by metric; `all` are the row's tools. */
function packAll(
  figures: readonly (readonly [MetricName, Figure])[],
  all: readonly string[],
): Pick<PackedRow, 'spreads' | 'statistics'> {
  const packed: Pick<PackedRow, 'spreads' | 'statistics'> = { spreads: {}, statistics: {} };
  for (const [metric, { statistics, tools }] of figures) {
    const { spread, rest } = packStatistics(statistics, tools.length === all.length ? undefined : tools);
    if (spread !== undefined) packed.spreads[metric] = spread;
    if (rest !== undefined) packed.statistics[metric] = rest;
  }
  return packed;
}

/** The rows of a claim: for each metric base, row k holds the values by its k-th formula. */
export function toStatisticsRows(claim: ClaimSummary): Row[] {
  const byBase = Map.groupBy(claim.groups, (group) => group.base);
  const variants: DefinitionGroup[][] = [[]];
  for (const groups of byBase.values()) {
    for (const [variant, group] of groups.toSorted(compareDefinitions).entries()) {
      const row = variants[variant];
      if (row === undefined) variants.push([group]);
      else row.push(group);
    }
  }
  const { findings, warnings } = claim;
  return variants.map((groups, variant) => {
    const figures = groups.flatMap((group) => [...group.figures]);
    const tools = together(figures.map(([, figure]) => figure.tools));
    const row: Row = {
      point_id: claim.pointId,
      status: claim.status,
      account_id: claim.account,
      own_trust: claim.ownTrust,
      variant,
      stands: claim.stands,
      disputed: claim.disputed,
      definitions: Object.fromEntries(
        groups.flatMap(({ base, definition }) => (definition === null ? [] : [[base, definition]])),
      ),
      derived: figures
        .filter(([, { isDerived }]) => isDerived)
        .map(([metric]) => metric)
        .sort(),
      results: claim.results,
      runs: claim.runs,
      first_result_id: claim.firstResultId,
      trust: claim.trust,
      tools,
      findings,
      warnings,
      replication: claim.replication,
      ...packAll(figures, tools),
    };
    for (const [metric, { statistics }] of figures) row[metric] = statistics.mean;
    return row;
  });
}

/** Restores the input of `toStatisticsRows` from all rows of one claim. */
export function readClaim(rows: readonly PackedRow[]): ClaimSummary {
  const [first] = rows;
  if (first === undefined) throw new Error('a claim of no rows');
  const groups = rows.flatMap((row): DefinitionGroup[] => {
    const entries = Object.entries(unpackRow(row).statistics) as [MetricName, StoredStatistics][];
    return [...Map.groupBy(entries, ([metric]) => familyFor(metric).base)].map(([base, of]) => ({
      base,
      definition: row.definitions[base] ?? null,
      figures: new Map(
        of.map(([metric, statistics]) => [
          metric,
          { statistics, tools: row.spreads[metric]?.[2] ?? row.tools, isDerived: row.derived.includes(metric) },
        ]),
      ),
      hasRepeats: true,
    }));
  });
  return {
    pointId: Number(first.point_id),
    status: first.status,
    account: first.account_id,
    ownTrust: first.own_trust,
    results: first.results,
    runs: first.runs,
    firstResultId: first.first_result_id,
    trust: first.trust,
    stands: first.stands,
    disputed: first.disputed,
    replication: first.replication,
    findings: first.findings,
    warnings: first.warnings,
    groups,
    writtenBy: first.written_by,
    summedBy: String(first.summed_by ?? ''),
  };
}
