import { naturalOrder } from '../../../lib/metric-text.ts';
import { rankedMetric } from './ranked-metric.ts';

const limitDefault = '50';
const subjectDefault = 'system';

/** One parameter of a URL. */
export type Parameter = readonly [name: string, value: string];

/** The state of the board, exactly as in its URL. */
export interface BoardQuery {
  /** The question in words with the other parameters of the URL; null for a view in parameters. */
  asked: readonly Parameter[] | null;
  /** The fact with one entry for each value; null for one entry for each system. */
  subject: string | null;
  /** Null for the API's default: the metric that most systems have. */
  rankBy: string | null;
  /** Null for the better values first. */
  order: 'asc' | 'desc' | null;
  /** All filters in the given order, including unknown names. */
  filters: readonly Parameter[];
  /** Price of a GPU-hour, USD; null if the view has no cost. */
  price: string | null;
  limit: string | null;
  cursor: string | null;
  /** Sort column, with "-" before it for the reverse; null for the order by rank. */
  sort: string | null;
  /** Metric of the chart's other axis; null for the page's default. */
  x: string | null;
}

const viewNames: ReadonlySet<string> = new Set(['sort', 'x']);
const ownNames: ReadonlySet<string> = new Set([
  ...['q', 'subject', 'rank_by', 'order', 'gpu_usd_per_hour', 'limit', 'cursor'],
  ...viewNames,
]);
const directions: readonly string[] = ['asc', 'desc'];

/** The order with the better values first; null if it is not known yet. */
const orderOf = (rankBy: string | null) => (rankBy === null ? null : naturalOrder(rankedMetric(rankBy)));

function isDefault([name, value]: Parameter, rankBy: string | null): boolean {
  if (value === '') return true;
  if (name === 'subject') return value === subjectDefault;
  if (name === 'order') return value === orderOf(rankBy);
  return name === 'limit' && value === limitDefault;
}

/** The parameters with a value that is not the default. Forms also send empty ones. */
export function meaningfulParameters(search: URLSearchParams): Parameter[] {
  const rankBy = search.get('rank_by') || null;
  return [...search].filter(([name, value]) => !isDefault([name, value.trim()], rankBy));
}

export function readBoardQuery(search: URLSearchParams): BoardQuery {
  const parameters = meaningfulParameters(search);
  const find = (name: string) => parameters.find((parameter) => parameter[0] === name)?.[1] ?? null;
  const order = find('order');
  return {
    asked: find('q') === null ? null : parameters.filter(([name]) => !viewNames.has(name)),
    subject: find('subject'),
    rankBy: find('rank_by'),
    // Other values stay among the filters, and the API rejects them.
    order: order === 'asc' || order === 'desc' ? order : null,
    filters: parameters.filter(
      ([name, value]) => !ownNames.has(name) || (name === 'order' && !directions.includes(value)),
    ),
    price: find('gpu_usd_per_hour'),
    limit: find('limit'),
    cursor: find('cursor'),
    sort: find('sort'),
    x: find('x'),
  };
}

/** Whether the API handles this view as a question, with one entry for each subject, instead of a board of systems. */
export const isQuestion = ({ asked, subject, price }: BoardQuery): boolean =>
  asked !== null || subject !== null || price !== null;

function toSearch(query: BoardQuery): URLSearchParams {
  if (query.asked !== null) return new URLSearchParams(query.asked.map(([name, value]) => [name, value]));
  const search = new URLSearchParams();
  if (query.subject !== null) search.set('subject', query.subject);
  if (query.rankBy !== null) search.set('rank_by', query.rankBy);
  if (query.order !== null && query.order !== orderOf(query.rankBy)) search.set('order', query.order);
  for (const [name, value] of query.filters) search.append(name, value);
  if (query.price !== null) search.set('gpu_usd_per_hour', query.price);
  if (query.limit !== null) search.set('limit', query.limit);
  if (query.cursor !== null) search.set('cursor', query.cursor);
  return search;
}

const withSearch = (path: string, search: URLSearchParams) => (search.size === 0 ? path : `${path}?${search}`);

/** The URL of a board. */
export function boardHref(query: BoardQuery): string {
  const search = toSearch(query);
  if (query.sort !== null) search.set('sort', query.sort);
  if (query.x !== null) search.set('x', query.x);
  return withSearch('/', search);
}

function apiSearch(query: BoardQuery): URLSearchParams {
  const search = toSearch(query);
  // A question returns ten entries by default; a page has room for more.
  if (query.asked === null && isQuestion(query) && query.limit === null) search.set('limit', limitDefault);
  return search;
}

/** The API URL of the same data. */
export function boardApiPath(query: BoardQuery): string {
  return withSearch(isQuestion(query) ? '/v1/best' : '/v1/leaderboard', apiSearch(query));
}

/** The URL of the whole board as a file, each system with its best point. `resolved` has no question in words. */
export function boardFilePath(resolved: BoardQuery, suffix: 'csv' | 'jsonl' | 'parquet'): string {
  // A file has a price for each GPU. With one price for all GPUs, it has no cost column.
  const rankBy = resolved.price === null ? resolved.rankBy : null;
  const whole = { ...resolved, asked: null, subject: null, price: null, limit: null, cursor: null };
  return withSearch(`/v1/leaderboard.${suffix}`, toSearch({ ...whole, rankBy }));
}

/** The same question as parameters of the API client. */
export function boardApiQuery(query: BoardQuery): Record<string, string[]> {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of apiSearch(query)) asked[name] = [...(asked[name] ?? []), value];
  return asked;
}

/** Another view in parameters; it starts at the first page. */
export function changed(query: BoardQuery, changes: Partial<BoardQuery>): BoardQuery {
  return { ...query, asked: null, cursor: null, ...changes };
}

export function without(query: BoardQuery, [name, value]: Parameter): BoardQuery {
  return changed(query, { filters: query.filters.filter((filter) => filter[0] !== name || filter[1] !== value) });
}

/** Values of one filter; a repeated parameter has several. */
export function valuesOf(query: BoardQuery, name: string): string[] {
  return query.filters.filter((filter) => filter[0] === name).map((filter) => filter[1]);
}
