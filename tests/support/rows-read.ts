import type { Sql } from 'postgres';

/** A node of a plan from `explain (analyze, format json)`. */
interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}

/** Rows that a plan read from tables, including those that it filtered out. */
function rowsTaken(plan: Plan): number {
  const dropped = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  // A bitmap index scan finds the same rows as its heap scan.
  const own = plan['Relation Name'] === undefined ? 0 : (plan['Actual Rows'] + dropped) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsTaken(child), own);
}

/** Number of rows that a statement reads from tables and returns. */
export async function countRows(
  sql: Sql,
  { text, values }: { text: string; values: readonly (string | null)[] },
): Promise<{ read: number; answered: number }> {
  const [row] = await sql.unsafe(`explain (analyze, format json) ${text}`, [...values]);
  if (row === undefined) throw new Error(`no plan of ${text}`);
  const [{ Plan: plan }] = row['QUERY PLAN'] as [{ Plan: Plan }];
  return { read: rowsTaken(plan), answered: plan['Actual Rows'] };
}
