import type { Entry, Leaderboard, Problem } from './api.ts';
import { type BoardQuery, boardHref, type Parameter } from './board-query.ts';
import { faultText } from './filter-view.ts';

type Prices = NonNullable<Leaderboard['prices']>;

/** The list behind the costs of a board. */
interface ListView {
  /** "Tier retail: price of an hour for a customer". */
  tier: string;
  asOf: string;
  source: { title: string; url: string };
  tiers: { value: string; label: string; selected: boolean }[];
  /** "mi355x $2.10, b200-sxm $1.00 (yours)". */
  used: string;
}

/** The prices behind the costs of a board, and the form that changes them. */
export interface PricesView {
  /** Null where the prices of the reader were refused, so that nothing is ranked. */
  list: ListView | null;
  /** Prices of the reader in one line: "b200-sxm=1, mi300x=1.8". */
  own: string;
  /** What is wrong with them; null where nothing is. */
  fault: string | null;
  /** What else the address says: kept when the form is sent. */
  hidden: readonly Parameter[];
  /** The same board at the prices of the list; null where it is at those. */
  resetHref: string | null;
}

/** The parameter that has several prices in one. */
const severalName = 'prices';

const gpuOf = (name: string): string | null => /^price\[(.+)\]$/s.exec(name)?.[1] ?? null;

const isOwnPrice = (name: string) => name === severalName || gpuOf(name) !== null;

export const isPriceParameter = (name: string) => name === 'price_tier' || isOwnPrice(name);

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

/** What the form needs, whether or not the prices are understood. */
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

/** The prices behind the costs of a board. */
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
        // The address holds only what is not the default.
        value: tier === prices.default_tier ? '' : tier,
        label: `${tier}: ${means}`,
        selected: tier === prices.tier,
      })),
      used: used.join(', '),
    },
  };
}

/** The form with prices that were refused, so that the reader can correct them; null where nothing is wrong with prices. */
export function refusedPrices(query: BoardQuery, problem: Problem | null): PricesView | null {
  const form = toForm(query, problem);
  return form.fault === null ? null : { ...form, list: null };
}
