import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { resultStatuses } from '../result.ts';
import type { PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { askedRows, standingTests, withinBounds } from './row-filter.ts';

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

/** Rows that have a value of every metric that is needed, and were sent as asked: the i-th is 1 if the i-th row is such. */
function completeMarks(table: PointTable, rows: Int32Array, { rankBy, filters, sent }: CensusQuestion): Uint8Array {
  const marks = new Uint8Array(rows.length).fill(1);
  for (const metric of new Set([rankBy.name, ...filters.bounds.map((bound) => bound.metric)])) {
    const values = table.values(metric);
    for (let at = 0; at < rows.length; at += 1) {
      if (Number.isNaN(values[rows[at] as number] as number)) marks[at] = 0;
    }
  }
  if (sent !== null) for (let at = 0; at < rows.length; at += 1) if (sent[rows[at] as number] === 0) marks[at] = 0;
  return marks;
}

function isSomeSent(sent: Uint8Array, rows: Int32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (sent[rows[at] as number] === 1) return true;
  return false;
}

/** Counts the points in question by what leaves one out, the first reason that holds, and finds those that take part. */
function survey(table: PointTable, question: CensusQuestion): Survey {
  const { rankBy, filters, sent } = question;
  const rows = askedRows(table, rankBy.family.kind, filters);
  const complete = completeMarks(table, rows, question);
  const standing = standingTests(filters);
  const { codes, ids } = table.definitions(rankBy.family.base);
  const { pointId, status, trust } = table;

  // Plain numbers and arrays: this runs over millions of rows.
  let [inQuarantine, retracted, belowTrust, missing, otherwise] = [0, 0, 0, 0, 0];
  const present = new Uint8Array(ids.length);
  /** Places among the rows: of the first complete row of each point that may take part, and behind its last row. */
  const firsts = new Int32Array(rows.length);
  const ends = new Int32Array(rows.length);
  let points = 0;
  let end = 0;
  for (let start = 0; start < rows.length; start = end) {
    const row = rows[start] as number;
    const id = pointId[row] as number;
    const code = status[row] as number;
    end = start + 1;
    while (end < rows.length && pointId[rows[end] as number] === id && status[rows[end] as number] === code) end += 1;
    if (sent !== null && !isSomeSent(sent, rows, start, end)) continue;
    let first = start;
    while (first < end && complete[first] === 0) first += 1;
    if (standing.status[code] === 0) {
      if (code === quarantined) inQuarantine += 1;
      else retracted += 1;
    } else if (standing.trust[trust[row] as number] === 0) belowTrust += 1;
    else if (first === end) missing += 1;
    else {
      firsts[points] = first;
      ends[points] = end;
      points += 1;
      for (let at = first; at < end; at += 1) if (complete[at] === 1) present[codes[rows[at] as number] as number] = 1;
    }
  }

  const chosen = chooseDefinitions(rankBy, new Set(ids.filter((_, code) => present[code] === 1)));
  const isComparable = comparableCodes(ids, chosen);
  const ranked = new Int32Array(points);
  let count = 0;
  for (let point = 0; point < points; point += 1) {
    const last = ends[point] as number;
    let at = firsts[point] as number;
    while (at < last && !(isComparable[codes[rows[at] as number] as number] === 1 && complete[at] === 1)) at += 1;
    if (at === last) otherwise += 1;
    else {
      ranked[count] = rows[at] as number;
      count += 1;
    }
  }
  const reasons = {
    quarantined: inQuarantine,
    retracted,
    below_trust: belowTrust,
    missing_metric: missing,
    other_definition: otherwise,
  };
  const excluded = Object.fromEntries(Object.entries(reasons).filter(([, left]) => left > 0));
  return { chosen, excluded, ranked: ranked.subarray(0, count) };
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
