import type { GpuPrice } from '@inferboard/core/prices/price-list';
import { type SQL, sql } from 'drizzle-orm';

const isOf = ({ match }: GpuPrice): SQL => {
  if (match.by === 'id') return sql`s.gpu_id = ${match.id}`;
  return match.by === 'family' ? sql`s.gpu_family = ${match.family}` : sql`s.gpu_key = ${match.key}`;
};

/** Price in USD of one GPU-hour of a system `s`; null if no price matches. */
export function usdPerGpuHour(prices: readonly GpuPrice[]): SQL {
  if (prices.length === 0) return sql`null::double precision`;
  const cases = prices.map((price) => sql`when ${isOf(price)} then ${price.usdPerHour}::double precision`);
  return sql`(case ${sql.join(cases, sql` `)} end)`;
}

/**
 * Factor from tokens/s per GPU to millions of tokens per dollar, the inverse of cost. Sorting by it equals sorting by cost, and
 * intervals scale with the value.
 */
export const mtokPerUsd = (prices: readonly GpuPrice[]): SQL => sql`(0.0036 / ${usdPerGpuHour(prices)})`;
