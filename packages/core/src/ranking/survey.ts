import { resultStatuses } from '../result.ts';
import type { CensusQuestion } from './census.ts';
import { type ChosenDefinitions, chooseAmong } from './formulas.ts';
import type { PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { askedRows, standingTests } from './row-filter.ts';
import { addRow, countRows, has, hasSome, type RowSet, rowsMarked, rowsOfAll, rowsOfEither } from './row-set.ts';
import { groupingOf, rowsOfWords, rowsWith } from './table-sets.ts';

/** Why points are left out before any bound is looked at: no standing, trust, or value of the metric. */
type Reason = 'quarantined' | 'retracted' | 'below_trust' | 'missing_metric';

/** Points with several rows in one standing: the first row of each, and the row behind its last one. */
export interface Groups {
  firsts: Int32Array;
  ends: Int32Array;
}

/** What a census finds before any bound is looked at. */
export interface Survey {
  excluded: Record<Reason, number>;
  /** Rows with a value that is asked for, of points that are: those that stand alone in their point, and all. */
  alone: RowSet;
  rows: RowSet;
  /** Points whose rows do not stand alone. */
  groups: Groups;
  chosen: ChosenDefinitions | null;
}

const quarantinedCode = resultStatuses.indexOf('quarantined');
const retractedCode = resultStatuses.indexOf('retracted');

/** Counts the points in question by what leaves one out, the first reason that holds, and finds those with the metric. */
function survey(table: PointTable, { rankBy, filters, sent }: CensusQuestion): Survey {
  const { status, trust, length } = table;
  const standing = standingTests(filters);
  const grouping = groupingOf(table);
  const marked = sent === null ? null : rowsMarked(sent, length);
  const asked = askedRows(table, rankBy.family.kind, filters);
  const withMetric = rowsWith(table, rankBy.name);
  const there = marked === null ? withMetric : rowsOfAll(withMetric, marked);

  // Nearly all rows stand alone in their point.
  const inQuestion = rowsOfAll(asked, grouping.alone, ...(marked === null ? [] : [marked]));
  const withStanding = rowsOfAll(inQuestion, rowsOfWords(table, 'status', standing.status));
  const trusted = rowsOfAll(withStanding, rowsOfWords(table, 'trust', standing.trust));
  const alone = rowsOfAll(trusted, there);
  const retracted = standing.status.map((passes, code) => Number(passes === 0 && code === retractedCode));
  const excluded: Record<Reason, number> = {
    quarantined: 0,
    retracted: countRows(rowsOfAll(inQuestion, rowsOfWords(table, 'status', retracted))),
    below_trust: countRows(withStanding) - countRows(trusted),
    missing_metric: countRows(trusted) - countRows(alone),
  };
  excluded.quarantined = countRows(inQuestion) - countRows(withStanding) - excluded.retracted;

  const reasonOf = (first: number, end: number): Reason | null => {
    const code = status[first] as number;
    if (standing.status[code] === 0) return code === quarantinedCode ? 'quarantined' : 'retracted';
    if (standing.trust[trust[first] as number] === 0) return 'below_trust';
    return hasSome(there, first, end) ? null : 'missing_metric';
  };
  const groups: Groups = { firsts: grouping.firsts.slice(), ends: grouping.ends.slice() };
  const grouped = new Int32Array(alone.length);
  let count = 0;
  for (let group = 0; group < grouping.firsts.length; group += 1) {
    const [first, end] = [grouping.firsts[group] as number, grouping.ends[group] as number];
    if (!has(asked, first) || (marked !== null && !hasSome(marked, first, end))) continue;
    const reason = reasonOf(first, end);
    if (reason !== null) {
      excluded[reason] += 1;
      continue;
    }
    groups.firsts[count] = first;
    groups.ends[count] = end;
    count += 1;
    for (let row = first; row < end; row += 1) if (has(there, row)) addRow(grouped, row);
  }
  const rows = count === 0 ? alone : rowsOfEither(alone, grouped);
  return {
    excluded,
    alone,
    rows,
    groups: { firsts: groups.firsts.slice(0, count), ends: groups.ends.slice(0, count) },
    chosen: chooseAmong(table, rankBy, rows),
  };
}

/** Numbers that surveys may hold together: a tenth of a gigabyte. */
const numbersMax = 24_000_000;
const remembered = createMemory<Survey>({
  most: numbersMax,
  weigh: ({ alone, groups }) => 1 + 2 * alone.length + 2 * groups.firsts.length,
});

/** The survey of a question, found once for all bounds. O(rows of the table) simple steps. */
export function surveyOf(table: PointTable, question: CensusQuestion): Survey {
  const { rankBy, filters, sent } = question;
  // Who sent what is asked of the database each time.
  if (sent !== null) return survey(table, question);
  const key = JSON.stringify([rankBy.name, { ...filters, bounds: [] }]);
  return remembered(table, key, () => survey(table, question));
}
