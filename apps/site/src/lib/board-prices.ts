import type { Entry, Leaderboard } from './api.ts';
import { type BoardQuery, boardHref, type Parameter } from './board-query.ts';

type Prices = NonNullable<Leaderboard['prices']>;

/** The prices behind the costs of a board, and the form that changes them. */
export interface PricesView {
  /** "Tier retail: price of an hour for a customer". */
  tier: string;
  asOf: string;
  source: { title: string; url: string };
  tiers: { value: string; label: string; selected: boolean }[];
  gpus: {
    name: string;
    /** "$2.10". */
    price: string;
    /** Whether the reader stated it. */
    isOwn: boolean;
    field: string;
    value: string;
  }[];
  /** What else the address says: kept when the form is sent. */
  hidden: readonly Parameter[];
  /** The same board at the prices of the list; null where it is at those. */
  resetHref: string | null;
}

export const isPriceParameter = (name: string) => name === 'price_tier' || /^price\[.+\]$/s.test(name);

/** "$2.10", "$0.075": cents are written out. */
export const formatUsd = (usd: number): string => `$${Number.isInteger(usd * 100) ? usd.toFixed(2) : usd}`;

/** "at $2.10 per GPU-hour, retail": the system beside it names the GPU. */
export function priceText(price: Entry['price'] | null): string | null {
  if (price == null) return null;
  const whose = price.stated_by === 'reader' ? 'your price' : price.tier;
  return `at ${formatUsd(price.usd_per_hour)} per GPU-hour, ${whose}`;
}

/** The parameters of a board's address, of a question in words with the question. */
function parametersOf(query: BoardQuery): Parameter[] {
  return [...new URL(boardHref({ ...query, cursor: null }), 'http://here').searchParams];
}

export function toPricesView(prices: Prices, query: BoardQuery): PricesView {
  const all = parametersOf(query);
  const own = all.filter(([name]) => isPriceParameter(name));
  const hidden = all.filter(([name]) => !isPriceParameter(name));
  const listed = prices.gpus.map(({ gpu, usd_per_hour: usd, stated_by }) => ({
    name: gpu ?? '',
    price: formatUsd(usd),
    isOwn: stated_by === 'reader',
    field: `price[${gpu}]`,
    value: stated_by === 'reader' ? String(usd) : '',
  }));
  return {
    tier: `Tier ${prices.tier}: ${prices.tiers[prices.tier]}`,
    asOf: prices.as_of,
    source: prices.source,
    tiers: Object.entries(prices.tiers).map(([tier, means]) => ({
      // The address holds only what is not the default.
      value: tier === prices.default_tier ? '' : tier,
      label: `${tier}: ${means}`,
      selected: tier === prices.tier,
    })),
    gpus: listed,
    hidden,
    resetHref: own.length === 0 ? null : `/?${new URLSearchParams(hidden.map(([name, value]) => [name, value]))}`,
  };
}
