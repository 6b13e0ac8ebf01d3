import { type SQL, sql } from 'drizzle-orm';
import { usdPerGpuHour } from '../catalogue/gpu-price.ts';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';
import { and } from './lists/filter-conditions.ts';
import { type Asking, sourceOf } from './source.ts';

/**
 * Counts the points that meet all filters but use a GPU without a price, on boards that rank by cost.
 *
 * @param compared true for rows by compared formulas
 */
export async function countUnpriced(
  db: Queryable,
  asking: Asking,
  workloads: readonly string[],
  compared: SQL,
): Promise<Record<string, number>> {
  const { prices, ...filters } = asking.filters;
  if (prices === undefined || workloads.length === 0) return {};
  // The dimension `engine` joins the systems, which the price needs, without requiring another fact.
  const source = sourceOf({ ...asking, filters, dimensions: [...asking.dimensions, 'engine'] });
  const isMissing = sql`${usdPerGpuHour(prices)} is null`;
  const conditions = [...source.where, sql`r.workload = any(${texts(workloads)})`, compared, isMissing];
  const [found] = (await db.execute(sql`
    select count(*)::int as points from (
      select distinct r.point_id, r.status from ${source.from} where ${and(conditions)}) q`)) as unknown as {
    points: number;
  }[];
  const points = found?.points ?? 0;
  return points === 0 ? {} : { unpriced_gpu: points };
}
