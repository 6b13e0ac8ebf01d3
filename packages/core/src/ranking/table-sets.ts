import type { MetricName } from '../metrics/index.ts';
import { endOfGroup, goneStatus, type PointTable } from './point-table.ts';
import { createMemory } from './remembered.ts';
import { countRows, has, type RowSet, removeRow, rowsOfCodes, rowsOfNumbers } from './row-set.ts';

// Sets that hold for a table whatever is asked of it, found once for each of its states.

/** Points that have several rows in one standing: the first row of each, and the row behind its last one. */
export interface Grouping {
  firsts: Int32Array;
  ends: Int32Array;
}

const rememberedGrouping = createMemory<Grouping>({ most: 1, weigh: () => 1 });

/** The few points of several rows; rows that are gone belong to nothing. */
function groupingOf(table: PointTable): Grouping {
  return rememberedGrouping(table, '', () => {
    const { length, status } = table;
    const [firsts, ends]: [number[], number[]] = [[], []];
    let end = 0;
    for (let row = 0; row < length; row = end) {
      end = endOfGroup(table, row);
      if (status[row] === goneStatus || end === row + 1) continue;
      firsts.push(row);
      ends.push(end);
    }
    return { firsts: Int32Array.from(firsts), ends: Int32Array.from(ends) };
  });
}

/** Of each point and standing its first row in a set. */
export function firstsOf(table: PointTable, set: RowSet): RowSet {
  const { firsts, ends } = groupingOf(table);
  const kept = set.slice();
  for (let group = 0; group < firsts.length; group += 1) {
    let isMet = false;
    for (let row = firsts[group] as number; row < (ends[group] as number); row += 1) {
      if (!has(set, row)) continue;
      if (isMet) removeRow(kept, row);
      isMet = true;
    }
  }
  return kept;
}

/** How many points and standings have a row in a set. */
export const countPoints = (table: PointTable, set: RowSet): number => countRows(firstsOf(table, set));

/** A set of a million rows is an eighth of a megabyte; so many numbers are a twentieth of a gigabyte. */
const setLimits = { most: 12_000_000, weigh: (set: RowSet) => 1 + set.length };

const rememberedByCode = createMemory<RowSet>(setLimits);

/** Rows whose code in a small column passes, such as a standing; `passes` may be shorter than the codes. */
export function rowsOfWords(
  table: PointTable,
  name: 'status' | 'trust' | 'kind' | 'loadMode' | 'regime',
  passes: Uint8Array,
) {
  return rememberedByCode(table, `${name} ${passes.join('')}`, () => {
    const all = new Uint8Array(256);
    all.set(passes);
    return rowsOfCodes(table[name], all, table.length);
  });
}

const rememberedByMetric = createMemory<RowSet>(setLimits);

/** Rows that have a metric. */
export function rowsWith(table: PointTable, metric: MetricName): RowSet {
  return rememberedByMetric(table, metric, () => rowsOfNumbers(table.values(metric), table.length));
}

const rememberedByFormula = createMemory<RowSet>(setLimits);

/** Rows whose formula of a metric base passes: 1 in `passes`, which has a place for every formula. */
export function rowsOfFormulas(table: PointTable, base: string, passes: Uint8Array): RowSet {
  return rememberedByFormula(table, `${base} ${passes.join('')}`, () =>
    rowsOfCodes(table.definitions(base).codes, passes, table.length),
  );
}
