import { DomainError } from '@inferboard/core/errors';
import type { Metric } from '@inferboard/core/metrics/index';
import { choosePrices, type GpuPrice, type Prices, priceOf, statedPrice } from '@inferboard/core/prices/price-list';
import { defaultRank } from '@inferboard/core/questions/index';
import { usdPerMtokOutput } from '@inferboard/core/series/cost';
import { nearest } from '@inferboard/core/text/nearest';
import type { NamedSystemRow } from '@inferboard/db/boards/lists/row-types';
import { requireMetric } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { gpuOfPrice, statedIn } from './prices-schema.ts';

/** The metric name of costs in rankings, which includes the unit. */
export const costName = 'usd_per_mtok_output';
export const costUnit = 'USD/Mtok';

/** The metric that costs are computed from: at the same price, more tokens per GPU mean a lower cost per token. */
export const costRate: Metric = requireMetric(defaultRank);

/** Whether a parameter sets GPU prices. */
export const isPriceParameter = (name: string) =>
  name === 'price_tier' || name === 'prices' || gpuOfPrice(name) !== null;

/**
 * The prices of a request: those in its query override those of the list.
 *
 * @throws DomainError `request_invalid` if the list does not have the requested tier
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
    const message = `"${tier.slice(0, 40)}" is not a tier of the price list. Tiers: ${tiers.join(', ')}.`;
    const hint = meant === null ? {} : { hint: `Did you mean "${meant}"?` };
    throw new DomainError('request_invalid', message, [
      { code: 'value_unknown', parameter: 'price_tier', message, ...hint },
    ]);
  }
  const own = statedIn(query).map(({ gpu, usdPerHour }) => statedPrice(gpu, usdPerHour));
  return choosePrices(list, tier, own);
}

/** The prices for the costs in a response: by GPU, or one for all. */
export type Pricing = { byGpu: Prices } | { forAll: number };

/** The response view of a price. */
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

function priceBehind(pricing: Pricing, system: NamedSystemRow): ReturnType<typeof viewPrice> {
  if ('forAll' in pricing) return ofAll(pricing.forAll);
  const price = priceOf(pricing.byGpu.gpus, system);
  if (price === null) throw new Error(`${system.id} is ranked by cost and has no price`);
  return viewPrice(price);
}

/** The cost of an entry and its price; the entry's value is the rate of tokens per GPU. */
export function viewCost(pricing: Pricing, { system, value }: { system: NamedSystemRow; value: number }) {
  const price = priceBehind(pricing, system);
  const cost = usdPerMtokOutput({ usdPerGpuHour: price.usd_per_hour, gpuCount: 1, outputTokS: value });
  if (cost === null) throw new Error(`${system.id} is ranked by cost and has no output`);
  return { value: cost, [costName]: cost, price };
}

/** The price list behind the costs of a response, with the prices of its systems; empty if no list was used. */
export function viewPrices(pricing: Pricing | null, systems: readonly NamedSystemRow[]) {
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
