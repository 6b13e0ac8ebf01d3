import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import { and } from '../queries/filter-conditions.ts';
import { usdPerGpuHour } from '../queries/gpu-price.ts';
import type { Queryable } from '../transaction.ts';
import { type Asking, sourceOf } from './source.ts';

/**
 * Points that meet everything but are of a GPU without a price, where cost is ranked.
 *
 * @param compared true for rows by formulas that are compared
 */
export async function countUnpriced(
  db: Queryable,
  asking: Asking,
  workloads: readonly string[],
  compared: SQL,
): Promise<Record<string, number>> {
  const { prices, ...filters } = asking.filters;
  if (prices === undefined || workloads.length === 0) return {};
  // An engine is a fact of systems, which the price is read from, and asks for no other fact to be named.
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
