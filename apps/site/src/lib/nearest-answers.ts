import type { Metric } from '@inferboard/core/metrics/index';
import type { Api } from './api.ts';
import { type BoardQuery, boardApiQuery, boardHref, changed, type Parameter, without } from './board-query.ts';
import { filterChips } from './chip-view.ts';
import { formatBrief } from './format.ts';
import { metricOf } from './metric-text.ts';
import { quantizationText, systemTitle } from './words.ts';

/** A view that has an answer where the one asked for has none. */
export interface Nearby {
  /** What is different: "Without “ITL at most 20 ms”". */
  change: string;
  /** What it finds: "Llama 3.1 8B fp8, ITL 23.1 ms". */
  finds: string;
  href: string;
}

/** Filters that are tried without, and figures that are tried instead: an empty page may cost a few boards, no more. */
const triedMax = 6;
const figures = ['decode_tok_s', 'user_tok_s', 'output_tok_s', 'ttft_ms_mean'] as const;

interface Attempt {
  change: string;
  /** The view that is proposed. */
  query: BoardQuery;
  /** The bound that it is without: only where nothing meets it was it in the way. */
  bound: { side: 'min' | 'max'; metric: Metric; value: number } | null;
}

function boundOf([name, value]: Parameter): Attempt['bound'] {
  const [, side, metricName = ''] = /^(min|max)_(.+)$/.exec(name) ?? [];
  const metric = metricOf(metricName);
  return metric === null || (side !== 'min' && side !== 'max') ? null : { side, metric, value: Number(value) };
}

const isMet = ({ side, value }: NonNullable<Attempt['bound']>, found: number) =>
  side === 'min' ? found >= value : found <= value;

/** One filter less; without a bound the view stands by the figure that was bounded, closest first. */
function lessOf(query: BoardQuery): Attempt[] {
  const chips = filterChips(changed(query, { subject: null, price: null }));
  return query.filters.slice(0, triedMax).map((filter, place) => {
    const bound = boundOf(filter);
    const rest = without(query, filter);
    return {
      change: `Without “${chips[place]?.label ?? filter[0]}”`,
      query: bound === null ? rest : changed(rest, { rankBy: bound.metric.name, order: null }),
      bound,
    };
  });
}

function otherwiseOf(query: BoardQuery): Attempt[] {
  return figures
    .filter((name) => name !== query.rankBy)
    .map((name) => ({
      change: `Ranked by ${metricOf(name)?.title ?? name} instead`,
      query: changed(query, { rankBy: name, order: null }),
      bound: null,
    }));
}

async function tryOut(api: Api, { change, query, bound }: Attempt): Promise<Nearby | null> {
  const { data } = await api.getLeaderboard({ ...boardApiQuery(changed(query, { subject: null })), limit: ['1'] });
  const [best] = data?.data ?? [];
  const metric = metricOf(query.rankBy);
  if (best === undefined || metric === null) return null;
  if (bound !== null && isMet(bound, best.value)) return null;
  const name = [systemTitle(best.system), quantizationText(best.system)].filter((part) => part !== null).join(' ');
  const { unit } = metric.family;
  return { change, finds: `${name}, ${metric.title} ${formatBrief(best.value, unit)} ${unit}`, href: boardHref(query) };
}

/** Views that differ from an empty one by a single thing and are not empty; the closest value where a bound was in the way. */
export async function findNearby(api: Api, query: BoardQuery): Promise<Nearby[]> {
  const plain = changed(query, { price: null, limit: null, sort: null, x: null });
  const found = await Promise.all([...lessOf(plain), ...otherwiseOf(plain)].map((attempt) => tryOut(api, attempt)));
  return found.filter((nearby) => nearby !== null);
}
