import { z } from 'zod';
import { catalogueKey } from '../catalogue/index.ts';
import { type Match, matchGpu } from '../filters/filters.ts';
import builtIn from './gpu-prices.json' with { type: 'json' };

/** Where a list of prices comes from. */
export interface PriceSource {
  title: string;
  url: string;
}

/** What an hour of one GPU costs. */
export interface GpuPrice {
  /** Catalogue id, family or name, as answers show it. */
  gpu: string;
  match: Match;
  usdPerHour: number;
  /** Null, as are date and source, where the reader stated the price. */
  tier: string | null;
  asOf: string | null;
  source: PriceSource | null;
}

/** A dated list of prices in tiers. */
export interface PriceList {
  asOf: string;
  source: PriceSource;
  /** What each tier means, by its name. */
  tiers: Readonly<Record<string, string>>;
  defaultTier: string;
  gpus: readonly { gpu: string; match: Match; usdPerHour: Readonly<Record<string, number | null>> }[];
}

/** A reader may state more than any list: prices of clusters are out of reach. */
export const priceMax = 1e6;

const usd = z.number('must be a price in dollars').positive('must be above 0').max(priceMax);

const PriceFileSchema = z.strictObject({
  as_of: z.iso.date('must be a day such as 2026-08-15'),
  source: z.strictObject({ title: z.string().min(1), url: z.url({ protocol: /^https?$/ }) }),
  tiers: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a short name'), z.string().min(1)),
  default_tier: z.string(),
  gpus: z.record(z.string().min(1).max(200), z.record(z.string(), usd.nullable())),
});

/** How answers name a GPU that a price is for. */
export const nameOfMatch = (match: Match): string =>
  match.by === 'id' ? match.id : match.by === 'family' ? match.family : match.key;

/** Whether two names mean the same GPUs. */
export const isSameMatch = (a: Match, b: Match): boolean => a.by === b.by && nameOfMatch(a) === nameOfMatch(b);

/**
 * Reads a list of prices as its file has it.
 *
 * @throws Error that names the first fault and its place
 */
export function readPriceList(content: unknown): PriceList {
  const parsed = PriceFileSchema.safeParse(content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`);
  }
  const { as_of: asOf, source, tiers, default_tier: defaultTier, gpus } = parsed.data;
  if (!Object.hasOwn(tiers, defaultTier)) throw new Error(`default_tier: "${defaultTier}" is not in tiers`);
  const seen = new Map<string, string>();
  return {
    ...{ asOf, source, tiers, defaultTier },
    gpus: Object.entries(gpus).map(([written, usdPerHour]) => {
      const match = matchGpu(written);
      const gpu = nameOfMatch(match);
      const before = seen.get(`${match.by} ${gpu}`);
      if (before !== undefined) throw new Error(`gpus.${written}: is the same GPU as "${before}"`);
      seen.set(`${match.by} ${gpu}`, written);
      const other = Object.keys(usdPerHour).find((tier) => !Object.hasOwn(tiers, tier));
      if (other !== undefined) throw new Error(`gpus.${written}.${other}: the tier is not in tiers`);
      return { gpu, match, usdPerHour };
    }),
  };
}

/** The list that comes with the product. */
export const builtInPrices: PriceList = readPriceList(builtIn);

/** Prices of one question: those of a tier of the list, and before them those that the reader stated. */
export interface Prices {
  list: PriceList;
  tier: string;
  /** The first that matches a system's GPU is its price. */
  gpus: readonly GpuPrice[];
}

const isFamily = ({ match }: GpuPrice) => match.by === 'family';

/** A GPU by itself comes before its family. */
const specificFirst = (prices: readonly GpuPrice[]) => [
  ...prices.filter((price) => !isFamily(price)),
  ...prices.filter(isFamily),
];

/** A listed name may name an entry that was added to the catalogue after the list was read. */
const matchNow = (match: Match): Match => (match.by === 'name' ? matchGpu(match.key) : match);

/**
 * @param tier one of the list's, or null for its default
 * @param own prices that the reader stated; they come before any of the list
 */
export function choosePrices(list: PriceList, tier: string | null, own: readonly GpuPrice[]): Prices {
  const chosen = tier ?? list.defaultTier;
  const listed = list.gpus.flatMap(({ match: read, usdPerHour }): GpuPrice[] => {
    const price = usdPerHour[chosen] ?? null;
    if (price === null) return [];
    const match = matchNow(read);
    return [{ gpu: nameOfMatch(match), match, usdPerHour: price, tier: chosen, asOf: list.asOf, source: list.source }];
  });
  return { list, tier: chosen, gpus: [...specificFirst(own), ...specificFirst(listed)] };
}

/** A price that the reader stated for a GPU, a family or a name. */
export function statedPrice(written: string, usdPerHour: number): GpuPrice {
  const match = matchGpu(written);
  return { gpu: nameOfMatch(match), match, usdPerHour, tier: null, asOf: null, source: null };
}

/** The facts of a system that say what GPU it has. */
export interface PricedSystem {
  gpu_id: string | null;
  gpu_family: string | null;
  gpu_name: string;
}

/** The price of a system's GPU; null where no price matches. */
export function priceOf(prices: readonly GpuPrice[], system: PricedSystem): GpuPrice | null {
  const matches = ({ match }: GpuPrice) => {
    if (match.by === 'id') return match.id === system.gpu_id;
    if (match.by === 'family') return match.family === system.gpu_family;
    return match.key === catalogueKey(system.gpu_name);
  };
  return prices.find(matches) ?? null;
}
