import { z } from 'zod';
import { catalogueKey } from '../catalogue/index.ts';
import { type Match, matchGpu } from '../filters/filters.ts';
import { NameSchema, proseSchema } from '../text/text.ts';
import builtIn from './gpu-prices.json' with { type: 'json' };

/** Source of a price list. */
export interface PriceSource {
  title: string;
  url: string;
}

/** Price of one GPU-hour. */
export interface GpuPrice {
  /** Catalogue id, family or name, as in responses. */
  gpu: string;
  match: Match;
  usdPerHour: number;
  /** Null if the reader stated the price; so are date and source. */
  tier: string | null;
  asOf: string | null;
  source: PriceSource | null;
}

/** A dated list of prices in tiers. */
export interface PriceList {
  asOf: string;
  source: PriceSource;
  /** Description of each tier, by name. */
  tiers: Readonly<Record<string, string>>;
  defaultTier: string;
  gpus: readonly { gpu: string; match: Match; usdPerHour: Readonly<Record<string, number | null>> }[];
}

/** Maximum price in dollars per GPU-hour, far above the price of any GPU. */
export const priceMax = 1e6;

const usd = z.number('must be a price in dollars').positive('must be above 0').max(priceMax);

/** Format of a price list in files and requests. */
export const PriceFileSchema = z.strictObject({
  as_of: z.iso.date('must be a day such as 2026-08-15'),
  source: z.strictObject({ title: NameSchema, url: z.url({ protocol: /^https?$/ }).max(2000) }),
  tiers: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, 'must be a short name'), proseSchema(300).min(1)),
  default_tier: z.string().max(40),
  gpus: z.record(z.string().min(1).max(200), z.record(z.string().max(40), usd.nullable())),
});
export type PriceFile = z.output<typeof PriceFileSchema>;

/** The name of a price's GPU in responses. */
export const nameOfMatch = (match: Match): string =>
  match.by === 'id' ? match.id : match.by === 'family' ? match.family : match.key;

/** True if two names mean the same GPUs. */
export const isSameMatch = (a: Match, b: Match): boolean => a.by === b.by && nameOfMatch(a) === nameOfMatch(b);

/** An error in a price list, and its location. */
export interface PriceFault {
  code: 'value_invalid' | 'value_unknown' | 'fact_repeated';
  path: readonly string[];
  message: string;
}

/** Finds errors that the schema cannot: undeclared tiers, and duplicate GPUs. */
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

/** Parses a price list, or lists all of its errors. */
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
 * Parses a price list that must be valid.
 *
 * @throws Error that lists each fault and its location
 */
export function readPriceList(content: unknown): PriceList {
  const read = parsePriceList(content);
  if ('list' in read) return read.list;
  throw new Error(read.faults.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`).join('; '));
}

/** Converts a list to the format that `parsePriceList` reads. */
export const toPriceFile = ({ asOf, source, tiers, defaultTier, gpus }: PriceList): PriceFile => ({
  as_of: asOf,
  source,
  tiers: { ...tiers },
  default_tier: defaultTier,
  gpus: Object.fromEntries(gpus.map(({ gpu, usdPerHour }) => [gpu, { ...usdPerHour }])),
});

/** The built-in price list. */
export const builtInPrices: PriceList = readPriceList(builtIn);

/** The prices of one request: the reader's stated prices, then one tier of the list. */
export interface Prices {
  list: PriceList;
  tier: string;
  /** The first match is the price of a system's GPU. */
  gpus: readonly GpuPrice[];
}

const isFamily = ({ match }: GpuPrice) => match.by === 'family';

/** Sorts entries for a single GPU before those for its family. */
const specificFirst = (prices: readonly GpuPrice[]) => [
  ...prices.filter((price) => !isFamily(price)),
  ...prices.filter(isFamily),
];

/** A listed name may match an entry that was added to the catalogue later. */
const matchNow = (match: Match): Match => (match.by === 'name' ? matchGpu(match.key) : match);

/**
 * @param tier a tier of the list, or null for its default
 * @param own prices stated by the reader; they precede the list's
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

/** Builds the price that the reader stated for a GPU, a family or a name. */
export function statedPrice(written: string, usdPerHour: number): GpuPrice {
  const match = matchGpu(written);
  return { gpu: nameOfMatch(match), match, usdPerHour, tier: null, asOf: null, source: null };
}

/** The facts that determine a system's GPU. */
export interface PricedSystem {
  gpu_id: string | null;
  gpu_family: string | null;
  gpu_name: string;
}

/** Returns the price of a system's GPU; null if no price matches. */
export function priceOf(prices: readonly GpuPrice[], system: PricedSystem): GpuPrice | null {
  const matches = ({ match }: GpuPrice) => {
    if (match.by === 'id') return match.id === system.gpu_id;
    if (match.by === 'family') return match.family === system.gpu_family;
    return match.key === catalogueKey(system.gpu_name);
  };
  return prices.find(matches) ?? null;
}
