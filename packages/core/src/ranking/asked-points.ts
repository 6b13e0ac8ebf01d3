import type { Filters } from '../filters/filters.ts';
import type { PointTable, TableNeeds } from './point-table.ts';
import { askedRows, type RowTest } from './row-filter.ts';

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
      const mean = means[row] as number;
      if (Number.isNaN(mean)) return false;
      const [count, scatter] = [n[row] as number, sd[row] as number];
      // A single value is its own mean; of several, the last bits of mean and deviation may be off.
      const reach = count > 1 && scatter > 0 ? scatter * Math.sqrt(count - 1) + 1e-9 * (scatter + Math.abs(mean)) : 0;
      return side === 'min' ? mean + reach >= value : mean - reach <= value;
    };
  });
}

function toolTests({ tools, toolSet }: PointTable, { tool }: Filters): RowTest[] {
  if (tool === undefined) return [];
  const passes = Uint8Array.from(tools, (set) => (set.some((name) => tool.includes(name)) ? 1 : 0));
  return [(row) => passes[toolSet[row] as number] === 1];
}

function passesSome(test: RowTest, rows: Int32Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (test(rows[at] as number)) return true;
  return false;
}

/**
 * Points that may have a result which the filters ask for: all that have one are among them, whatever its standing and
 * formulas. Null where they are more than `most`. O(rows of the table).
 */
export function findAskedPoints(table: PointTable, filters: Filters, most: number): number[] | null {
  const { pointId } = table;
  const rows = askedRows(table, null, filters);
  const tests = [...boundTests(table, filters), ...toolTests(table, filters)];
  const points: number[] = [];
  let end = 0;
  for (let start = 0; start < rows.length; start = end) {
    const id = pointId[rows[start] as number] as number;
    end = start + 1;
    while (end < rows.length && pointId[rows[end] as number] === id) end += 1;
    // A result may have each of its figures in another row, by another formula.
    if (!tests.every((test) => passesSome(test, rows, start, end))) continue;
    if (points.length === most) return null;
    points.push(id);
  }
  return points;
}
