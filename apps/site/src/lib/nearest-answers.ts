import type { Metric } from '@inferboard/core/metrics/index';
import type { Api, Entry } from './api.ts';
import { isPriceParameter } from './board-prices.ts';
import {
  type BoardQuery,
  boardApiQuery,
  boardHref,
  changed,
  isQuestion,
  type Parameter,
  readBoardQuery,
  without,
} from './board-query.ts';
import { type BoardView, toBoardView } from './board-view.ts';
import { oneOf } from './board-words.ts';
import { filterChips } from './chip-view.ts';
import { formatWithUnit } from './format.ts';
import { metricOf } from './metric-text.ts';
import { readBoard, type Unanswered } from './read-board.ts';
import { quantizationText, systemTitle } from './words.ts';

/** A view that has an answer where the one asked for has none. */
export interface Nearby {
  /** What is different: "Without “ITL at most 20 ms”". */
  change: string;
  /** What it finds: "Llama 3.1 8B fp8, ITL 23.1 ms". */
  finds: string;
  href: string;
  /** The view itself. */
  query: BoardQuery;
  /** Whether it meets every filter: ranked by something else, and nothing else is different. */
  isWhole: boolean;
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
  isWhole: boolean;
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
  // A price narrows nothing: where it is missing, the board says so.
  const tried = query.filters.filter(([name]) => !isPriceParameter(name));
  return tried.slice(0, triedMax).map((filter) => {
    const place = query.filters.indexOf(filter);
    const bound = boundOf(filter);
    const rest = without(query, filter);
    return {
      change: `Without “${chips[place]?.label ?? filter[0]}”`,
      query: bound === null ? rest : changed(rest, { rankBy: bound.metric.name, order: null }),
      bound,
      isWhole: false,
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
      isWhole: true,
    }));
}

/** Systems that leave a fact unspecified make no board of systems; their quantizations and engines can be compared. */
function subjectsOf(query: BoardQuery): Attempt[] {
  return ['quantization', 'engine']
    .filter((subject) => subject !== query.subject)
    .map((subject) => ({
      change: `One entry per ${oneOf(subject)} instead`,
      query: changed(query, { subject }),
      bound: null,
      isWhole: true,
    }));
}

/** What a view finds: "Llama 3.1 8B fp8, ITL 23.1 ms". */
function findsText({ system, value }: Pick<Entry, 'system' | 'value'>, metric: Metric): string {
  const name = [systemTitle(system), quantizationText(system)].filter((part) => part !== null).join(' ');
  return `${name}, ${metric.title} ${formatWithUnit(value, metric.family.unit)}`;
}

/** The questions that the API found closest to one without an answer. */
export function nearestQuestions({ nearest }: Unanswered): Nearby[] {
  return nearest.flatMap(({ left_out, rank_by, url, best }) => {
    const metric = metricOf(rank_by);
    if (metric === null) return [];
    const query = readBoardQuery(new URL(url).searchParams);
    const finds = findsText(best as unknown as Entry, metric);
    return [{ change: `Without “${left_out}”`, finds, href: boardHref(query), query, isWhole: false }];
  });
}

async function tryOut(api: Api, { change, query, bound, isWhole }: Attempt): Promise<Nearby | null> {
  const asked = { ...boardApiQuery(query), limit: ['1'] };
  const { data } = await (isQuestion(query) ? api.getBest(asked) : api.getLeaderboard(asked));
  const [best] = data?.data ?? [];
  const metric = metricOf(data?.rank_by ?? '');
  if (best === undefined || metric === null) return null;
  if (bound !== null && isMet(bound, best.value)) return null;
  return { change, finds: findsText(best, metric), href: boardHref(query), query, isWhole };
}

/**
 * Views that differ from an empty one by a single thing and are not empty, those that meet every filter first; the closest
 * value where a bound was in the way.
 */
export async function findNearby(api: Api, query: BoardQuery): Promise<Nearby[]> {
  const plain = changed(query, { price: null, limit: null, sort: null, x: null });
  const found = await Promise.all(
    [...subjectsOf(plain), ...otherwiseOf(plain), ...lessOf(plain)].map((attempt) => tryOut(api, attempt)),
  );
  return found.filter((nearby) => nearby !== null);
}

/** The closest view with its board, to be shown where the one asked for is empty. */
export interface Instead {
  nearby: Nearby;
  board: BoardView;
}

/** The first of some views as its page would show it; null where there is none. */
export async function showNearest(api: Api, [nearest]: readonly Nearby[]): Promise<Instead | null> {
  if (nearest === undefined) return null;
  const { data } = await readBoard(api, nearest.query);
  const board = data === null ? null : toBoardView(data, nearest.query);
  return board === null || board.rows.length === 0 ? null : { nearby: nearest, board };
}
