import { z } from 'zod';
import { catalogueKey } from '../catalogue/index.ts';
import { type Match, matchGpu } from '../filters/filters.ts';
import { NameSchema, proseSchema } from '../text.ts';
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

/** A list of prices as a file or a request has it. */
export const PriceFileSchema = z.strictObject({
  as_of: z.iso.date('must be a day such as 2026-08-15'),
  source: z.strictObject({ title: NameSchema, url: z.url({ protocol: /^https?$/ }).max(2000) }),
  tiers: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a short name'), proseSchema(300).min(1)),
  default_tier: z.string().max(40),
  gpus: z.record(z.string().min(1).max(200), z.record(z.string().max(40), usd.nullable())),
});
export type PriceFile = z.output<typeof PriceFileSchema>;

/** How answers name a GPU that a price is for. */
export const nameOfMatch = (match: Match): string =>
  match.by === 'id' ? match.id : match.by === 'family' ? match.family : match.key;

/** Whether two names mean the same GPUs. */
export const isSameMatch = (a: Match, b: Match): boolean => a.by === b.by && nameOfMatch(a) === nameOfMatch(b);

/** Something wrong with a list of prices, and where it is. */
export interface PriceFault {
  code: 'value_invalid' | 'value_unknown' | 'fact_repeated';
  path: readonly string[];
  message: string;
}

/** What no schema finds: tiers that are not declared, and a GPU that is listed twice. */
function faultsOfFile({ tiers, default_tier: defaultTier, gpus }: PriceFile): PriceFault[] {
  const faults: PriceFault[] = [];
  if (!Object.hasOwn(tiers, defaultTier))
    faults.push({ code: 'value_unknown', path: ['default_tier'], message: `"${defaultTier}" is not in tiers` });
  const seen = new Map<string, string>();
  for (const [written, usdPerHour] of Object.entries(gpus)) {
    const match = matchGpu(written);
    const key = `${match.by} ${nameOfMatch(match)}`;
    const before = seen.get(key);
    if (before !== undefined)
      faults.push({ code: 'fact_repeated', path: ['gpus', written], message: `is the same GPU as "${before}"` });
    else seen.set(key, written);
    for (const tier of Object.keys(usdPerHour))
      if (!Object.hasOwn(tiers, tier))
        faults.push({ code: 'value_unknown', path: ['gpus', written, tier], message: 'the tier is not in tiers' });
  }
  return faults;
}

/** Reads a list of prices, or lists everything that is wrong with it. */
export function parsePriceList(content: unknown): { list: PriceList } | { faults: PriceFault[] } {
  const parsed = PriceFileSchema.safeParse(content);
  if (!parsed.success)
    return {
      faults: parsed.error.issues.map(({ path, message }) => ({
        code: 'value_invalid' as const,
        path: path.map(String),
        message,
      })),
    };
  const faults = faultsOfFile(parsed.data);
  if (faults.length > 0) return { faults };
  const { as_of: asOf, source, tiers, default_tier: defaultTier } = parsed.data;
  const gpus = Object.entries(parsed.data.gpus).map(([written, usdPerHour]) => {
    const match = matchGpu(written);
    return { gpu: nameOfMatch(match), match, usdPerHour };
  });
  return { list: { asOf, source, tiers, defaultTier, gpus } };
}

/**
 * Reads a list of prices that must be right.
 *
 * @throws Error that names each fault and its place
 */
export function readPriceList(content: unknown): PriceList {
  const read = parsePriceList(content);
  if ('list' in read) return read.list;
  throw new Error(read.faults.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`).join('; '));
}

/** A list as a file has it: what `parsePriceList` reads. */
export const toPriceFile = ({ asOf, source, tiers, defaultTier, gpus }: PriceList): PriceFile => ({
  as_of: asOf,
  source,
  tiers: { ...tiers },
  default_tier: defaultTier,
  gpus: Object.fromEntries(gpus.map(({ gpu, usdPerHour }) => [gpu, { ...usdPerHour }])),
});

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
