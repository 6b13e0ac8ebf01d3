import type { GpuPrice } from '@inferboard/core/prices/price-list';
import { type SQL, sql } from 'drizzle-orm';

const isOf = ({ match }: GpuPrice): SQL => {
  if (match.by === 'id') return sql`s.gpu_id = ${match.id}`;
  return match.by === 'family' ? sql`s.gpu_family = ${match.family}` : sql`s.gpu_key = ${match.key}`;
};

/** Dollars for an hour of one GPU of a system `s`; null where no price matches. */
export function usdPerGpuHour(prices: readonly GpuPrice[]): SQL {
  if (prices.length === 0) return sql`null::double precision`;
  const cases = prices.map((price) => sql`when ${isOf(price)} then ${price.usdPerHour}::double precision`);
  return sql`(case ${sql.join(cases, sql` `)} end)`;
}

/**
 * What a rate of tokens per GPU is multiplied by to be millions of tokens per dollar, the inverse of their cost: the order of
 * costs, and intervals that scale with the value.
 */
export const mtokPerUsd = (prices: readonly GpuPrice[]): SQL => sql`(0.0036 / ${usdPerGpuHour(prices)})`;
