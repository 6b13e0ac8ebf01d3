import { DomainError } from '@inferboard/core/errors';
import type { Metric } from '@inferboard/core/metrics/index';
import { nearest } from '@inferboard/core/nearest';
import { choosePrices, type GpuPrice, type Prices, priceOf, statedPrice } from '@inferboard/core/prices/price-list';
import { defaultRank } from '@inferboard/core/questions/index';
import { usdPerMtokOutput } from '@inferboard/core/series/cost';
import type { LeaderboardRow } from '@inferboard/db/queries/leaderboard-entries';
import type { SystemRow } from '@inferboard/db/queries/row-types';
import { requireMetric } from './actions/settle-board.ts';
import type { Deps } from './deps.ts';
import { gpuOfPrice, statedIn } from './schemas/prices.ts';

/** What costs are ranked under, and its unit. */
export const costName = 'usd_per_mtok_output';
export const costUnit = 'USD/Mtok';

/** The metric that costs are computed from: at the same price, more tokens per GPU cost less each. */
export const costRate: Metric = requireMetric(defaultRank);

/** Parameters that say what GPUs cost. */
export const isPriceParameter = (name: string) =>
  name === 'price_tier' || name === 'prices' || gpuOfPrice(name) !== null;

/**
 * The prices of a question: those that its query states before those of the list.
 *
 * @throws DomainError `request_invalid` where the list has no such tier
 */
export async function readPrices(
  { prices, database }: Pick<Deps, 'prices' | 'database'>,
  query: Record<string, string[]>,
): Promise<Prices> {
  const { list } = await prices(database.db);
  const tier = query.price_tier?.[0] ?? null;
  if (tier !== null && !Object.hasOwn(list.tiers, tier)) {
    const tiers = Object.keys(list.tiers);
    const meant = nearest(tier, tiers);
    const message = `"${tier.slice(0, 40)}" is not a tier of the price list, which has ${tiers.join(', ')}.`;
    const hint = meant === null ? {} : { hint: `Did you mean "${meant}"?` };
    throw new DomainError('request_invalid', message, [
      { code: 'value_unknown', parameter: 'price_tier', message, ...hint },
    ]);
  }
  const own = statedIn(query).map(({ gpu, usdPerHour }) => statedPrice(gpu, usdPerHour));
  return choosePrices(list, tier, own);
}

/** What costs of an answer are computed from: prices by GPU, or one for all. */
export type Pricing = { byGpu: Prices } | { forAll: number };

/** A price as answers show it. */
export function viewPrice({
  gpu,
  usdPerHour,
  tier,
  asOf,
  source,
}: Omit<GpuPrice, 'gpu' | 'match'> & { gpu: string | null }) {
  const statedBy = source === null ? ('reader' as const) : ('list' as const);
  return { gpu, usd_per_hour: usdPerHour, stated_by: statedBy, tier, as_of: asOf, source: source?.url ?? null };
}

const ofAll = (usdPerHour: number) => viewPrice({ gpu: null, usdPerHour, tier: null, asOf: null, source: null });

function priceBehind(pricing: Pricing, system: SystemRow): ReturnType<typeof viewPrice> {
  if ('forAll' in pricing) return ofAll(pricing.forAll);
  const price = priceOf(pricing.byGpu.gpus, system);
  if (price === null) throw new Error(`${system.id} is ranked by cost and has no price`);
  return viewPrice(price);
}

/** The cost of an entry and the price behind it: its value is the rate of tokens per GPU. */
export function viewCost(pricing: Pricing, { system, value }: Pick<LeaderboardRow, 'system' | 'value'>) {
  const price = priceBehind(pricing, system);
  const cost = usdPerMtokOutput({ usdPerGpuHour: price.usd_per_hour, gpuCount: 1, outputTokS: value });
  if (cost === null) throw new Error(`${system.id} is ranked by cost and puts out nothing`);
  return { value: cost, [costName]: cost, price };
}

/** The list behind the costs of an answer, with the prices of its systems; nothing where there is none. */
export function viewPrices(pricing: Pricing | null, systems: readonly SystemRow[]) {
  if (pricing === null || 'forAll' in pricing) return {};
  const { list, tier, gpus } = pricing.byGpu;
  const used = new Set(systems.map((system) => priceOf(gpus, system)));
  const prices = {
    tier,
    default_tier: list.defaultTier,
    tiers: list.tiers,
    as_of: list.asOf,
    source: list.source,
    gpus: gpus.filter((price) => used.has(price)).map(viewPrice),
  };
  return { prices };
}
