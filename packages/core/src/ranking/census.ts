import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { resultStatuses } from '../result.ts';
import { endOfGroup, goneStatus, type PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { rowFilter, standingTests, withinBounds } from './row-filter.ts';
import { RowList } from './row-list.ts';

/** What points are ranked by, and of which. */
export interface CensusQuestion {
  rankBy: Metric;
  filters: Filters;
  /** 1 for each row with a result that was sent as `filters` ask, 0 for the others; null where they do not ask. */
  sent: Uint8Array | null;
}

/** Formulas whose values may be ranked together. */
export interface ChosenDefinitions {
  group: string;
  ids: readonly string[];
}

export interface Census {
  /** Null where the metric has one formula. */
  chosen: ChosenDefinitions | null;
  /** Points left out, by reason. Those that merely miss a bound are not what was asked for, and not counted. */
  excluded: Record<string, number>;
  /**
   * The row that each point takes part with and that meets the bounds: its preferred formula of those that are ranked
   * together, so that having used two does not let it choose.
   */
  candidates: Int32Array;
}

/** The preferred group of definitions among those that are there; values of the others are not comparable with it. */
export function chooseDefinitions({ family }: Metric, present: ReadonlySet<string>): ChosenDefinitions | null {
  const preferred = family.definitions.find(({ id }) => present.has(id));
  if (preferred === undefined) return null;
  const ids = family.definitions.filter(({ group }) => group === preferred.group).map(({ id }) => id);
  return { group: preferred.group, ids };
}

/** 1 for each code that takes part; all do where nothing was chosen. */
export function comparableCodes(ids: readonly string[], chosen: ChosenDefinitions | null): Uint8Array {
  return Uint8Array.from(ids, (id) => (chosen === null || chosen.ids.includes(id) ? 1 : 0));
}

const [, quarantined] = resultStatuses.keys();

/** A census before bounds: `ranked` has the row of each point that takes part. */
type Survey = Omit<Census, 'candidates'> & { ranked: Int32Array };

/** Counts the points in question by what leaves one out, the first reason that holds, and finds those that take part. */
function survey(table: PointTable, { rankBy, filters, sent }: CensusQuestion): Survey {
  const isAsked = rowFilter(table, rankBy.family.kind, filters);
  const standing = standingTests(filters);
  const needed = [...new Set([rankBy.name, ...filters.bounds.map(({ metric }) => metric)])].map((metric) =>
    table.values(metric),
  );
  const { codes, ids } = table.definitions(rankBy.family.base);
  const { length, pointId, status, trust } = table;
  const isComplete = (row: number) => {
    for (const values of needed) if (Number.isNaN(values[row] as number)) return false;
    return sent === null || sent[row] === 1;
  };

  const excluded: Record<string, number> = {};
  const leaveOut = (reason: string) => {
    excluded[reason] = (excluded[reason] ?? 0) + 1;
  };
  const present = new Uint8Array(ids.length);
  /** First complete rows of points that may take part. */
  const complete = new RowList();
  let end = 0;
  for (let start = 0; start < length; start = end) {
    end = start + 1;
    const standingCode = status[start] as number;
    // All rows of a point are asked for, or none.
    if (standingCode === goneStatus || !isAsked(start)) continue;
    const id = pointId[start];
    while (end < length && pointId[end] === id && status[end] === standingCode) end += 1;
    if (sent !== null && !sent.subarray(start, end).includes(1)) continue;
    let first = start;
    while (first < end && !isComplete(first)) first += 1;
    if (standing.status[standingCode] === 0) leaveOut(standingCode === quarantined ? 'quarantined' : 'retracted');
    else if (standing.trust[trust[start] as number] === 0) leaveOut('below_trust');
    else if (first === end) leaveOut('missing_metric');
    else {
      complete.push(first);
      for (let row = first; row < end; row += 1) if (isComplete(row)) present[codes[row] as number] = 1;
    }
  }

  const chosen = chooseDefinitions(rankBy, new Set(ids.filter((_, code) => present[code] === 1)));
  const isComparable = comparableCodes(ids, chosen);
  const ranked = new RowList();
  for (const first of complete.all()) {
    const last = endOfGroup(table, first);
    let row = first;
    while (row < last && !(isComparable[codes[row] as number] === 1 && isComplete(row))) row += 1;
    if (row === last) leaveOut('other_definition');
    else ranked.push(row);
  }
  return { chosen, excluded, ranked: ranked.all() };
}

const remembered = createMemory<Survey>();

/** The survey of a question, found once for all bounds: people move a limit and leave the rest as it is. */
function surveyOf(table: PointTable, question: CensusQuestion): Survey {
  const { rankBy, filters, sent } = question;
  // Who sent what is asked of the database each time.
  if (sent !== null) return survey(table, question);
  const bounded = filters.bounds.map(({ metric }) => metric).sort();
  const key = JSON.stringify([rankBy.name, bounded, { ...filters, bounds: [] }]);
  return remembered(table, key, () => survey(table, question));
}

/** Counts the points in question and finds those that rank. */
export function takeCensus(table: PointTable, question: CensusQuestion): Census {
  const { chosen, excluded, ranked } = surveyOf(table, question);
  return { chosen, excluded: { ...excluded }, candidates: withinBounds(table, ranked, question.filters) };
}
