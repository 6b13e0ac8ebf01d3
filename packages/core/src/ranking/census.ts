import type { Filters } from '../filters/filters.ts';
import type { Metric } from '../metrics/index.ts';
import { type ChosenDefinitions, chooseAmong, comparableCodes } from './formulas.ts';
import type { PointTable } from './point-table.ts';
import { limitsOf } from './row-filter.ts';
import { addRow, countRows, has, hasSome, type RowSet, rowsOfAll, type Selection } from './row-set.ts';
import { type Groups, surveyOf } from './survey.ts';
import { rowsOfFormulas, rowsWith } from './table-sets.ts';

export type { ChosenDefinitions } from './formulas.ts';

/** What points are ranked by, and of which. */
export interface CensusQuestion {
  rankBy: Metric;
  filters: Filters;
  /** 1 for each row with a result that was sent as `filters` ask, 0 for the others; null where they do not ask. */
  sent: Uint8Array | null;
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
  candidates: Selection;
}

/**
 * Adds to `candidates` the first complete row of the chosen formulas of each group; counts groups that have none, of these
 * formulas or of any.
 */
function takeOfGroups(
  candidates: RowSet,
  { firsts, ends }: Groups,
  { complete, comparable }: { complete: RowSet; comparable: RowSet },
): { missing: number; otherwise: number } {
  let [missing, otherwise] = [0, 0];
  for (let group = 0; group < firsts.length; group += 1) {
    const end = ends[group] as number;
    let row = firsts[group] as number;
    while (row < end && !has(comparable, row)) row += 1;
    if (row < end) addRow(candidates, row);
    else if (hasSome(complete, firsts[group] as number, end)) otherwise += 1;
    else missing += 1;
  }
  return { missing, otherwise };
}

/**
 * Counts the points in question and finds those that rank. Bounds are only looked at where they are kept or broken.
 * O(rows of the table) simple steps.
 */
export function takeCensus(table: PointTable, question: CensusQuestion): Census {
  const { rankBy, filters } = question;
  const surveyed = surveyOf(table, question);
  const bounded = [...new Set(filters.bounds.map(({ metric }) => metric))].map((metric) => rowsWith(table, metric));
  const complete = rowsOfAll(surveyed.rows, ...bounded);
  // Where no row of the preferred formulas has the bounded metrics too, others are.
  const there = chooseAmong(table, rankBy, complete);
  const chosen = there?.group === surveyed.chosen?.group ? surveyed.chosen : there;

  const { base } = rankBy.family;
  const isComparable = comparableCodes(table.definitions(base).ids, chosen);
  const comparable = isComparable.includes(0)
    ? rowsOfAll(complete, rowsOfFormulas(table, base, isComparable))
    : complete;
  const completeAlone = rowsOfAll(complete, surveyed.alone);
  const set = rowsOfAll(comparable, surveyed.alone);
  const [whole, taken] = [countRows(completeAlone), countRows(set)];
  const ofGroups = takeOfGroups(set, surveyed.groups, { complete, comparable });

  const { quarantined, retracted, below_trust, missing_metric } = surveyed.excluded;
  const reasons = {
    quarantined,
    retracted,
    below_trust,
    missing_metric: missing_metric + countRows(surveyed.alone) - whole + ofGroups.missing,
    other_definition: whole - taken + ofGroups.otherwise,
  };
  const excluded = Object.fromEntries(Object.entries(reasons).filter(([, left]) => left > 0));
  return { chosen, excluded, candidates: { set, limits: limitsOf(table, filters) } };
}
