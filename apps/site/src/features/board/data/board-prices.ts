import type { Entry, Leaderboard, Problem } from '../../../lib/api.ts';
import { faultText } from '../../../lib/filter-view.ts';
import { type BoardQuery, boardHref, type Parameter } from './board-query.ts';

type Prices = NonNullable<Leaderboard['prices']>;

/** The price list of a cost board. */
interface ListView {
  /** "Tier retail: price of an hour for a customer". */
  tier: string;
  asOf: string;
  source: { title: string; url: string };
  tiers: { value: string; label: string; selected: boolean }[];
  /** "mi355x $2.10, b200-sxm $1.00 (yours)". */
  used: string;
}

/** The prices of a cost board and the form that changes them. */
export interface PricesView {
  /** Null if the API rejected the reader's prices, so that there is no ranking. */
  list: ListView | null;
  /** The reader's prices in one line: "b200-sxm=1, mi300x=1.8". */
  own: string;
  /** The error in the prices; null without one. */
  fault: string | null;
  /** Other parameters of the URL, kept when the form is sent. */
  hidden: readonly Parameter[];
  /** URL of the same board at list prices; null if it already uses them. */
  resetHref: string | null;
}

/** The parameter that holds several prices. */
const severalName = 'prices';

const gpuOf = (name: string): string | null => /^price\[(.+)\]$/s.exec(name)?.[1] ?? null;

const isOwnPrice = (name: string) => name === severalName || gpuOf(name) !== null;

export const isPriceParameter = (name: string) => name === 'price_tier' || isOwnPrice(name);

/** "$2.10", "$0.075": with at least two decimals. */
export const formatUsd = (usd: number): string => `$${Number.isInteger(usd * 100) ? usd.toFixed(2) : usd}`;

/** "at $2.10 per GPU-hour, retail": the system's name states the GPU. */
export function priceText(price: Entry['price'] | null): string | null {
  if (price == null) return null;
  const whose = price.stated_by === 'reader' ? 'your price' : price.tier;
  return `at ${formatUsd(price.usd_per_hour)} per GPU-hour, ${whose}`;
}

/** The parameters of a board's URL, including a question in words. */
function parametersOf(query: BoardQuery): Parameter[] {
  return [...new URL(boardHref({ ...query, cursor: null }), 'http://here').searchParams];
}

/** The data of the form, for valid and invalid prices. */
function toForm(query: BoardQuery, problem: Problem | null): Omit<PricesView, 'list'> {
  const all = parametersOf(query);
  const hidden = all.filter(([name]) => !isPriceParameter(name));
  const own = all.filter(([name]) => isOwnPrice(name));
  const faults = [...new Set(own.map(([name]) => name))].map((name) => faultText(problem, name));
  return {
    own: own.map(([name, value]) => (name === severalName ? value : `${gpuOf(name)}=${value}`)).join(', '),
    fault: faults.filter((fault) => fault !== null).join(' ') || null,
    hidden,
    resetHref:
      hidden.length === all.length ? null : `/?${new URLSearchParams(hidden.map(([name, value]) => [name, value]))}`,
  };
}

/** The prices of a cost board. */
export function toPricesView(prices: Prices, query: BoardQuery): PricesView {
  const used = prices.gpus.map(
    ({ gpu, usd_per_hour: usd, stated_by }) => `${gpu} ${formatUsd(usd)}${stated_by === 'reader' ? ' (yours)' : ''}`,
  );
  return {
    ...toForm(query, null),
    list: {
      tier: `Tier ${prices.tier}: ${prices.tiers[prices.tier]}`,
      asOf: prices.as_of,
      source: prices.source,
      tiers: Object.entries(prices.tiers).map(([tier, means]) => ({
        // The URL omits defaults.
        value: tier === prices.default_tier ? '' : tier,
        label: `${tier}: ${means}`,
        selected: tier === prices.tier,
      })),
      used: used.join(', '),
    },
  };
}

/** The form with rejected prices, for correction; null if the error is not about prices. */
export function refusedPrices(query: BoardQuery, problem: Problem | null): PricesView | null {
  const form = toForm(query, problem);
  return form.fault === null ? null : { ...form, list: null };
}
