import type { Filters } from '../filters/filters.ts';
import type { PointTable, TableNeeds } from './point-table.ts';
import { askedRows } from './row-filter.ts';
import { has } from './row-set.ts';

type RowTest = (row: number) => boolean;

/** What finding points by filters reads of a table beside what every row has. */
export function askedPointNeeds({ bounds }: Pick<Filters, 'bounds'>): TableNeeds {
  const metrics = [...new Set(bounds.map(({ metric }) => metric))];
  return { values: metrics, figures: metrics, definitions: [] };
}

/** Whether filters say what was measured, how, by what, or with which figures. */
export function asksOfPoints({ account: _, since: _s, until: _u, trust: _r, include: _i, ...rest }: Filters) {
  const { bounds, ...others } = rest;
  return bounds.length > 0 || Object.values(others).some((value) => value !== undefined);
}

/**
 * A row holds the mean of its results' figures, their n and standard deviation; none of n values lies further than
 * sd * sqrt(n - 1) from their mean (Samuelson 1968), nor does the mean of some of them.
 */
function boundTests(table: PointTable, { bounds }: Pick<Filters, 'bounds'>): RowTest[] {
  return bounds.map(({ metric, side, value }) => {
    const { n, sd } = table.figures(metric);
    const means = table.values(metric);
    return (row) => {
      if (table.beside?.[row] === 1) return true;
      const mean = means[row] as number;
      if (Number.isNaN(mean)) return false;
      const [count, scatter] = [n[row] as number, sd[row] as number];
      // A single value is its own mean; of several, the last bits of mean and deviation may be off.
      const reach = count > 1 && scatter > 0 ? scatter * Math.sqrt(count - 1) + 1e-9 * (scatter + Math.abs(mean)) : 0;
      return side === 'min' ? mean + reach >= value : mean - reach <= value;
    };
  });
}

function toolTests({ tools, toolSet, beside }: PointTable, { tool }: Filters): RowTest[] {
  if (tool === undefined) return [];
  const passes = Uint8Array.from(tools, (set) => (set.some((name) => tool.includes(name)) ? 1 : 0));
  return [(row) => beside?.[row] === 1 || passes[toolSet[row] as number] === 1];
}

/** The row after the last one of the point that `row` begins. */
function endOfPoint({ pointId, length }: PointTable, row: number): number {
  let end = row + 1;
  while (end < length && pointId[end] === pointId[row]) end += 1;
  return end;
}

/**
 * Points that may have a result which the filters ask for: all that have one are among them, whatever its standing and
 * formulas, and whoever's claim stands. Null where they are more than `most`. O(rows of the table).
 */
export function findAskedPoints(table: PointTable, filters: Filters, most: number): number[] | null {
  const asked = askedRows(table, null, filters);
  const tests = [...boundTests(table, filters), ...toolTests(table, filters)];
  const passesSome = (test: RowTest, from: number, to: number) => {
    for (let row = from; row < to; row += 1) if (has(asked, row) && test(row)) return true;
    return false;
  };
  const points: number[] = [];
  let end = 0;
  for (let word = 0; word < asked.length; word += 1) {
    // Those of whole words that a filter leaves nothing of are passed over.
    if (asked[word] === 0) continue;
    const behind = Math.min(table.length, (word + 1) << 5);
    for (let row = Math.max(end, word << 5); row < behind; row = end) {
      end = row + 1;
      if (!has(asked, row)) continue;
      end = endOfPoint(table, row);
      const start = row;
      // A result may have each of its figures in another row, by another formula.
      if (!tests.every((test) => passesSome(test, start, end))) continue;
      if (points.length === most) return null;
      points.push(table.pointId[start] as number);
    }
  }
  return points;
}
