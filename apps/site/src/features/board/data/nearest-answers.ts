import type { Metric } from '@inferboard/core/metrics/index';
import type { Api, Entry } from '../../../lib/api.ts';
import { formatWithUnit } from '../../../lib/format.ts';
import { metricOf } from '../../../lib/metric-text.ts';
import { quantizationText, systemTitle } from '../../../lib/words.ts';
import { filterChips } from '../../catalogue/data/chip-view.ts';
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
import { readBoard, type Unanswered } from './read-board.ts';

/** A view with results, proposed if the requested one has none. */
export interface Nearby {
  /** The difference: "Without “ITL at most 20 ms”". */
  change: string;
  /** Its first result: "Llama 3.1 8B fp8, ITL 23.1 ms". */
  finds: string;
  href: string;
  /** The view itself. */
  query: BoardQuery;
  /** Whether it meets every filter and differs only in its ranking metric. */
  isWhole: boolean;
}

/** Maximum numbers of filters to drop and metrics to try: an empty page costs at most these board queries. */
const triedMax = 6;
const figures = ['decode_tok_s', 'user_tok_s', 'output_tok_s', 'ttft_ms_mean'] as const;

interface Attempt {
  change: string;
  /** The proposed view. */
  query: BoardQuery;
  /** The dropped bound. It was the cause only if no entry meets it. */
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

/** The view without one filter. Without a bound, it sorts by the bounded metric, closest value first. */
function lessOf(query: BoardQuery): Attempt[] {
  const chips = filterChips(changed(query, { subject: null, price: null }));
  // A price is not a filter. The board reports a missing price.
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

/** Systems that leave a fact unspecified are not on boards of systems, but their quantizations and engines are comparable. */
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

/** The first result of a view: "Llama 3.1 8B fp8, ITL 23.1 ms". */
function findsText({ system, value }: Pick<Entry, 'system' | 'value'>, metric: Metric): string {
  const name = [systemTitle(system), quantizationText(system)].filter((part) => part !== null).join(' ');
  return `${name}, ${metric.title} ${formatWithUnit(value, metric.family.unit)}`;
}

/** The questions that the API suggests for one without an answer. */
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
 * Views with results that differ in one property from an empty view, those that meet every filter first. For a bound that nothing
 * meets, they have the closest value.
 */
export async function findNearby(api: Api, query: BoardQuery): Promise<Nearby[]> {
  const plain = changed(query, { price: null, limit: null, sort: null, x: null });
  const found = await Promise.all(
    [...subjectsOf(plain), ...otherwiseOf(plain), ...lessOf(plain)].map((attempt) => tryOut(api, attempt)),
  );
  return found.filter((nearby) => nearby !== null);
}

/** The closest view and its board, to show in place of the empty one. */
export interface Instead {
  nearby: Nearby;
  board: BoardView;
}

/** The first view with a board, as the page shows it; null without one. */
export async function showNearest(api: Api, [nearest]: readonly Nearby[]): Promise<Instead | null> {
  if (nearest === undefined) return null;
  const { data } = await readBoard(api, nearest.query);
  const board = data === null ? null : toBoardView(data, nearest.query);
  return board === null || board.rows.length === 0 ? null : { nearby: nearest, board };
}
