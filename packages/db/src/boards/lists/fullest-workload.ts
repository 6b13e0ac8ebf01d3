import { type Choice, switchChoice } from '@inferboard/core/ranking/choice';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { askedGroups } from '@inferboard/core/ranking/formulas';
import { allowsWorkload } from '@inferboard/core/ranking/workload-choice';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../connection/client.ts';
import { texts } from '../../copy/bulk.ts';
import type { BoardAsking } from '../board-scope.ts';
import { hasOne, ofAsked, withStatistics } from '../count-systems.ts';
import { sourceOf, subjectOf } from '../source.ts';
import { and } from './filter-conditions.ts';

/** Workloads whose cells are counted: those with the most systems. */
const workloadsMax = 21;
/** Up to this many systems, cells are counted; beyond it, the workload with the most systems is filled anyway. */
const systemsMax = 20_000;

/**
 * The workload whose matrix compares the most: with the most cells that have another cell in their row and in their column, then
 * the most cells, then the most systems. Null if it is the chosen one, or the request names the workload.
 *
 * @param asking the metric of the matrix, without which any default metric counts; and the facts of its rows and columns
 */
export async function chooseFullest(tx: Transaction, asking: BoardAsking, choice: Choice): Promise<Choice | null> {
  const { because, id, systems, others } = choice;
  const { filters, metrics, dimensions, definition } = asking;
  const [rows, columns] = dimensions;
  const counted = [{ id, systems }, ...others].filter((one) => allowsWorkload(filters, one.id)).slice(0, workloadsMax);
  const all = counted.reduce((sum, one) => sum + one.systems, 0);
  if (because === 'asked' || rows === undefined || columns === undefined || counted.length < 2 || all > systemsMax)
    return null;
  const source = sourceOf(asking);
  const any = sql`(${sql.join(hasOne(preferredRanks), sql` or `)})`;
  const [from, has] =
    metrics.length === 0
      ? [withStatistics(source), any]
      : [source.from, ofAsked(metrics, askedGroups(metrics, definition))];
  const workloads = counted.map((one) => one.id);
  const [fullest] = (await tx.execute(sql`
    select workload from (
      select workload, count(*) over (partition by workload, row_key) as in_row,
        count(*) over (partition by workload, column_key) as in_column
      from (
        select distinct r.workload, ${subjectOf(rows)} as row_key, ${subjectOf(columns)} as column_key from ${from}
        where ${and([...source.where, has, sql`r.workload = any(${texts(workloads)})`])}) pairs) cells
    group by workload
    order by count(*) filter (where in_row > 1 and in_column > 1) desc, count(*) desc,
      array_position(${texts(workloads)}, workload)
    limit 1`)) as unknown as { workload: string }[];
  return fullest === undefined || fullest.workload === id ? null : switchChoice(choice, fullest.workload, 'most_cells');
}
