import type { Filters } from '../filters/filters.ts';
import type { Metric, MetricName } from '../metrics/index.ts';
import type { MetricKind } from '../metrics/metric.ts';
import { resultStatuses } from '../result.ts';
import { bySystems, type Choice } from './choice.ts';
import { countSystems } from './count-systems.ts';
import { askedGroups, type ChosenDefinitions, comparableCodes, groupsOf } from './formulas.ts';
import { factsToName, rowsUnspecified } from './named-facts.ts';
import { type PointTable, pointCodes } from './point-table.ts';
import { askedRows, limitsOf, standingTests } from './row-filter.ts';
import { listRows, type RowSet, rowsMarked, rowsOfAll, rowsOfCodes, rowsWithin } from './row-set.ts';
import type { Dimension } from './subject.ts';
import { countPoints, firstsOf, rowsOfFormulas, rowsOfWords, rowsWith } from './table-sets.ts';
import { chooseWorkload } from './workload-choice.ts';

export type { ChosenDefinitions } from './formulas.ts';

/** Which points are ranked, and by what. */
export interface CensusQuestion {
  kind: MetricKind;
  /** What a point needs a value of, each by formulas that can be compared. */
  metrics: readonly Metric[];
  filters: Filters;
  /** A formula, or the group of it, that is asked for. */
  definition: string | null;
  /** The group that an earlier page chose: a later one holds to it, whatever has come since. */
  chosen?: string | null;
  /** What has one entry each, or a row and a column. */
  dimensions: readonly Dimension[];
  /** Metrics that decide between workloads that have as many systems. */
  prefers?: readonly MetricName[];
  /** 1 for each row with a result that was sent as `filters` ask, 0 for the others; null where they do not ask. */
  sent: Uint8Array | null;
}

export interface Census {
  workload: Choice | null;
  /** Of each metric the formulas that are compared; null where it has one formula, or none is recorded. */
  chosen: (ChosenDefinitions | null)[];
  definitions: (Choice | null)[];
  /** Points left out, by reason. Those that merely miss a bound are not what was asked for, and not counted. */
  excluded: Record<string, number>;
  /** Rows that meet everything. */
  rows: RowSet;
  /** The row that each point takes part with: its first of those. */
  candidates: RowSet;
}

/** A row per metric with the group of the formula behind its value; 0 where none is recorded. */
function groupCodes(table: PointTable, metric: Metric): { groups: ChosenDefinitions[]; of: (row: number) => number } {
  const groups = groupsOf(metric);
  if (groups.length === 0) return { groups, of: () => 0 };
  const { codes, ids } = table.definitions(metric.family.base);
  const places = Uint8Array.from(ids, (id) => 1 + groups.findIndex((group) => group.ids.includes(id)));
  return { groups, of: (row) => places[codes[row] as number] as number };
}

/**
 * Of each metric the group of formulas that is ranked: together those that the most systems have, the preferred ones where
 * several have as many. A recorded formula goes before an unrecorded one.
 */
function chooseGroups(table: PointTable, metrics: readonly Metric[], rows: Int32Array): (ChosenDefinitions | null)[] {
  const coded = metrics.map((metric) => groupCodes(table, metric));
  const size = coded.reduce((all, { groups }) => all * (groups.length + 1), 1);
  const combined = (row: number) => coded.reduce((code, { groups, of }) => code * (groups.length + 1) + of(row), 0);
  const counts = countSystems(table, rows, combined, size);
  const groupsAt = (code: number) => {
    let rest = code;
    const found = coded.toReversed().map(({ groups }) => {
      const place = rest % (groups.length + 1);
      rest = (rest - place) / (groups.length + 1);
      return groups[place - 1] ?? null;
    });
    return found.toReversed();
  };
  const recorded = (code: number) => groupsAt(code).filter((group) => group !== null).length;
  const [best] = Array.from(counts, (systems, code) => ({ systems, code }))
    .filter(({ systems }) => systems > 0)
    .sort((a, b) => recorded(b.code) - recorded(a.code) || b.systems - a.systems || a.code - b.code);
  return groupsAt(best?.code ?? 0);
}

/** What was chosen among a metric's formulas, and what else there is. */
function tellDefinition(
  table: PointTable,
  metric: Metric,
  rows: Int32Array,
  { chosen, asked }: { chosen: ChosenDefinitions | null; asked: ChosenDefinitions | null },
): Choice | null {
  if (chosen === null) return null;
  const { groups, of } = groupCodes(table, metric);
  const systems = countSystems(table, rows, of, groups.length + 1);
  const counted = groups.map(({ group: id }, place) => ({ id, systems: systems[place + 1] as number, place }));
  const there = bySystems(counted, () => 0);
  return {
    id: chosen.group,
    because: asked === null ? 'most_systems' : 'asked',
    systems: there.find(({ id }) => id === chosen.group)?.systems ?? 0,
    others: there.filter(({ id }) => id !== chosen.group).map(({ id, systems }) => ({ id, systems })),
  };
}

/** Rows that each metric has by formulas that are compared. */
function rowsCompared(table: PointTable, metrics: readonly Metric[], chosen: readonly (ChosenDefinitions | null)[]) {
  return metrics.flatMap(({ family }, at) => {
    const group = chosen[at] ?? null;
    if (group === null) return [];
    const passes = comparableCodes(table.definitions(family.base).ids, group);
    return [rowsOfFormulas(table, family.base, passes)];
  });
}

/** Counts the points in question by what leaves one out, the first reason that holds, and finds those that rank. */
export function takeCensus(table: PointTable, question: CensusQuestion): Census {
  const { kind, metrics, filters, sent, dimensions, definition } = question;
  const { workload: _, regime: _r, ...plain } = filters;
  const marked = sent === null ? [] : [rowsMarked(sent, table.length)];
  const asked = rowsOfAll(askedRows(table, kind, plain), ...marked);
  const standing = standingTests(filters);
  const withStatus = rowsOfWords(table, 'status', standing.status);
  const trusted = rowsOfWords(table, 'trust', standing.trust);
  const unspecified = factsToName(dimensions, filters).map((reason) => ({
    reason,
    rows: rowsUnspecified(table, reason),
  }));
  const named = unspecified.map(({ rows }) => rows.map((word) => ~word));
  const measured = [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric)];
  const complete = rowsOfAll(
    asked,
    withStatus,
    trusted,
    ...named,
    ...measured.map((metric) => rowsWith(table, metric)),
  );
  const met = rowsWithin({ set: complete, limits: limitsOf(table, filters) });
  const wanted = askedGroups(metrics, definition);
  const ofAsked = rowsOfAll(met, ...rowsCompared(table, metrics, wanted));

  const list = (set: RowSet) => listRows({ set, limits: [] });
  const { choice, passes } = chooseWorkload(table, list(ofAsked), {
    filters,
    dimensions,
    prefers: question.prefers ?? [],
  });
  const inWorkload = rowsOfCodes(table.workload, passes, table.length);
  const among = rowsOfAll(met, inWorkload);
  const best = chooseGroups(table, metrics, list(rowsOfAll(ofAsked, inWorkload)));
  const before = metrics.map((metric) => groupsOf(metric).find(({ group }) => group === question.chosen));
  const chosen = best.map((group, at) => wanted[at] ?? before[at] ?? group);
  const compared = rowsOfAll(among, ...rowsCompared(table, metrics, chosen));

  const excluded: Record<string, number> = {};
  const count = (reason: string, points: number) => {
    if (points > 0) excluded[reason] = points;
  };
  let left = rowsOfAll(asked, inWorkload);
  for (const [code, status] of resultStatuses.entries()) {
    if (standing.status[code] === 1) continue;
    const isStatus = pointCodes.status.map((one) => Number(one === status));
    count(status, countPoints(table, rowsOfAll(left, rowsOfWords(table, 'status', Uint8Array.from(isStatus)))));
  }
  left = rowsOfAll(left, withStatus);
  const step = (reason: string, next: RowSet) => {
    count(reason, countPoints(table, left) - countPoints(table, next));
    left = next;
  };
  step('below_trust', rowsOfAll(left, trusted));
  for (const [at, { reason }] of unspecified.entries()) step(reason, rowsOfAll(left, named[at] as RowSet));
  step('missing_metric', rowsOfAll(left, complete));
  left = among;
  step('other_definition', compared);
  return {
    workload: choice,
    chosen,
    definitions: metrics.map((metric, at) =>
      tellDefinition(table, metric, list(among), { chosen: chosen[at] ?? null, asked: wanted[at] ?? null }),
    ),
    excluded,
    rows: compared,
    candidates: firstsOf(table, compared),
  };
}
