import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { resultStatuses } from '../result.ts';
import type { PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { askedRows, standingTests } from './row-filter.ts';

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

const quarantinedCode = resultStatuses.indexOf('quarantined');

/** What a census finds before any bound is looked at. */
interface Survey {
  /** Points without standing, trust, or a value of the metric. */
  excluded: Record<'quarantined' | 'retracted' | 'below_trust' | 'missing_metric', number>;
  /** Rows that were asked for, those of a point together. */
  rows: Int32Array;
  /** Of each point that has the metric: the place of its first row with it among `rows`, and that behind its last row. */
  firsts: Int32Array;
  ends: Int32Array;
  chosen: ChosenDefinitions | null;
}

function isSomeSent(sent: Uint8Array, rows: Int32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (sent[rows[at] as number] === 1) return true;
  return false;
}

/** Counts the points in question by what leaves one out, the first reason that holds, and finds those with the metric. */
function survey(table: PointTable, { rankBy, filters, sent }: CensusQuestion): Survey {
  const rows = askedRows(table, rankBy.family.kind, filters);
  const standing = standingTests(filters);
  const { codes, ids } = table.definitions(rankBy.family.base);
  const values = table.values(rankBy.name);
  const { pointId, status, trust } = table;

  // Plain numbers and arrays: this runs over millions of rows.
  let [inQuarantine, retracted, belowTrust, missing] = [0, 0, 0, 0];
  const present = new Uint8Array(ids.length);
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
    while (first < end && !isThere(values, sent, rows[first] as number)) first += 1;
    if (standing.status[code] === 0) {
      if (code === quarantinedCode) inQuarantine += 1;
      else retracted += 1;
    } else if (standing.trust[trust[row] as number] === 0) belowTrust += 1;
    else if (first === end) missing += 1;
    else {
      firsts[points] = first;
      ends[points] = end;
      points += 1;
      for (let at = first; at < end; at += 1) {
        if (isThere(values, sent, rows[at] as number)) present[codes[rows[at] as number] as number] = 1;
      }
    }
  }
  return {
    excluded: { quarantined: inQuarantine, retracted, below_trust: belowTrust, missing_metric: missing },
    rows,
    firsts: firsts.slice(0, points),
    ends: ends.slice(0, points),
    chosen: chooseAmong(rankBy, present, ids),
  };
}

const isThere = (values: Float64Array, sent: Uint8Array | null, row: number) =>
  !Number.isNaN(values[row] as number) && (sent === null || sent[row] === 1);

const chooseAmong = (metric: Metric, present: Uint8Array, ids: readonly string[]) =>
  chooseDefinitions(metric, new Set(ids.filter((_, code) => present[code] === 1)));

/** Numbers that surveys may hold together: a fifth of a gigabyte. */
const numbersMax = 48_000_000;
const remembered = createMemory<Survey>({ most: numbersMax, weigh: ({ firsts }) => 1 + 2 * firsts.length });

/** The survey of a question, found once for all bounds. */
function surveyOf(table: PointTable, question: CensusQuestion): Survey {
  const { rankBy, filters, sent } = question;
  // Who sent what is asked of the database each time.
  if (sent !== null) return survey(table, question);
  const key = JSON.stringify([rankBy.name, { ...filters, bounds: [] }]);
  return remembered(table, key, () => survey(table, question));
}

/** What bounds make of the points of a survey. */
interface Bounded {
  candidates: Int32Array;
  /** Points that lack a bounded metric, and those that have everything by other formulas alone. */
  missing: number;
  otherwise: number;
  /** The formulas of complete rows, by code. */
  present: Uint8Array;
}

/** Takes each point by its first complete row of the chosen formulas, if that meets the bounds. */
function takeBounded(
  table: PointTable,
  { rows, firsts, ends }: Survey,
  { rankBy, filters, sent }: CensusQuestion,
  chosen: ChosenDefinitions | null,
): Bounded {
  const { codes, ids } = table.definitions(rankBy.family.base);
  const ranked = table.values(rankBy.name);
  const isComparable = comparableCodes(ids, chosen);
  const limits = filters.bounds.map(({ metric, side, value }) => ({
    values: table.values(metric),
    low: side === 'min' ? value : Number.NEGATIVE_INFINITY,
    high: side === 'max' ? value : Number.POSITIVE_INFINITY,
  }));
  const present = new Uint8Array(ids.length);
  const candidates = new Int32Array(firsts.length);
  let [count, missing, otherwise] = [0, 0, 0];
  for (let point = 0; point < firsts.length; point += 1) {
    const end = ends[point] as number;
    let [isComplete, isTaken] = [false, false];
    for (let at = firsts[point] as number; at < end; at += 1) {
      const row = rows[at] as number;
      let [isWhole, isWithin] = [isThere(ranked, sent, row), true];
      for (const { values, low, high } of limits) {
        const figure = values[row] as number;
        if (Number.isNaN(figure)) isWhole = false;
        else if (figure < low || figure > high) isWithin = false;
      }
      if (!isWhole) continue;
      isComplete = true;
      const code = codes[row] as number;
      present[code] = 1;
      if (isTaken || isComparable[code] === 0) continue;
      isTaken = true;
      if (isWithin) {
        candidates[count] = row;
        count += 1;
      }
    }
    if (!isComplete) missing += 1;
    else if (!isTaken) otherwise += 1;
  }
  return { candidates: candidates.subarray(0, count), missing, otherwise, present };
}

/** Counts the points in question and finds those that rank. O(rows of the table), and once they were: O(its points). */
export function takeCensus(table: PointTable, question: CensusQuestion): Census {
  const surveyed = surveyOf(table, question);
  const { ids } = table.definitions(question.rankBy.family.base);
  let { chosen } = surveyed;
  let bounded = takeBounded(table, surveyed, question, chosen);
  const there = chooseAmong(question.rankBy, bounded.present, ids);
  if (there?.group !== chosen?.group) {
    // No row of the preferred formulas has the bounded metrics too.
    chosen = there;
    bounded = takeBounded(table, surveyed, question, chosen);
  }
  const { quarantined, retracted, below_trust, missing_metric } = surveyed.excluded;
  const reasons = {
    quarantined,
    retracted,
    below_trust,
    missing_metric: missing_metric + bounded.missing,
    other_definition: bounded.otherwise,
  };
  const excluded = Object.fromEntries(Object.entries(reasons).filter(([, left]) => left > 0));
  return { chosen, excluded, candidates: bounded.candidates };
}
