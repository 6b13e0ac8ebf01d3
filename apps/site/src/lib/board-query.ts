import { naturalOrder } from './metric-text.ts';
import { rankedMetric } from './ranked-metric.ts';

const limitDefault = '50';
const subjectDefault = 'system';

/** One parameter as it stands in a URL. */
export type Parameter = readonly [name: string, value: string];

/** The board's state: exactly what its URL says. */
export interface BoardQuery {
  /** The question in words with whatever the URL says beside it; null where parameters ask. */
  asked: readonly Parameter[] | null;
  /** What has one entry each; null where every system has one. */
  subject: string | null;
  /** Null where it is left to the API: what most of the systems have. */
  rankBy: string | null;
  /** Null where the better values come first. */
  order: 'asc' | 'desc' | null;
  /** Everything that narrows the board, in the order given; unknown names too. */
  filters: readonly Parameter[];
  /** Dollars for one GPU and hour; null where nothing is about cost. */
  price: string | null;
  limit: string | null;
  cursor: string | null;
  /** Column that the rows stand by, with "-" before it from its other end; null where they stand by rank. */
  sort: string | null;
  /** Metric that the chart sets the ranked one against; null where the page chooses. */
  x: string | null;
}

const viewNames: ReadonlySet<string> = new Set(['sort', 'x']);
const ownNames: ReadonlySet<string> = new Set([
  ...['q', 'subject', 'rank_by', 'order', 'gpu_usd_per_hour', 'limit', 'cursor'],
  ...viewNames,
]);
const directions: readonly string[] = ['asc', 'desc'];

/** The order in which the better values of what is ranked by come first; null where that is not known yet. */
const orderOf = (rankBy: string | null) => (rankBy === null ? null : naturalOrder(rankedMetric(rankBy)));

function isDefault([name, value]: Parameter, rankBy: string | null): boolean {
  if (value === '') return true;
  if (name === 'subject') return value === subjectDefault;
  if (name === 'order') return value === orderOf(rankBy);
  return name === 'limit' && value === limitDefault;
}

/** The parameters that say something: no empty ones, as forms send them, and no defaults. */
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
    // Anything else stays among the filters, for the API to refuse.
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

/** Whether the API answers this as a question, which has one entry a subject, and not as a board of systems. */
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

/** The page that shows a board. */
export function boardHref(query: BoardQuery): string {
  const search = toSearch(query);
  if (query.sort !== null) search.set('sort', query.sort);
  if (query.x !== null) search.set('x', query.x);
  return withSearch('/', search);
}

function apiSearch(query: BoardQuery): URLSearchParams {
  const search = toSearch(query);
  // A question has ten entries unless it says otherwise; a page has more room.
  if (query.asked === null && isQuestion(query) && query.limit === null) search.set('limit', limitDefault);
  return search;
}

/** The same data from the API. */
export function boardApiPath(query: BoardQuery): string {
  return withSearch(isQuestion(query) ? '/v1/best' : '/v1/leaderboard', apiSearch(query));
}

/** The whole board as a file, every system with its best point. `resolved` is without a question in words. */
export function boardFilePath(resolved: BoardQuery, suffix: 'csv' | 'jsonl' | 'parquet'): string {
  // A file has a price for each GPU; with one for all there is no cost in it.
  const rankBy = resolved.price === null ? resolved.rankBy : null;
  const whole = { ...resolved, asked: null, subject: null, price: null, limit: null, cursor: null };
  return withSearch(`/v1/leaderboard.${suffix}`, toSearch({ ...whole, rankBy }));
}

/** The same question as the API's client takes it. */
export function boardApiQuery(query: BoardQuery): Record<string, string[]> {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of apiSearch(query)) asked[name] = [...(asked[name] ?? []), value];
  return asked;
}

/** Another view, asked in parameters; it starts at its first page. */
export function changed(query: BoardQuery, changes: Partial<BoardQuery>): BoardQuery {
  return { ...query, asked: null, cursor: null, ...changes };
}

export function without(query: BoardQuery, [name, value]: Parameter): BoardQuery {
  return changed(query, { filters: query.filters.filter((filter) => filter[0] !== name || filter[1] !== value) });
}

/** Values of one filter; a parameter that is repeated has several. */
export function valuesOf(query: BoardQuery, name: string): string[] {
  return query.filters.filter((filter) => filter[0] === name).map((filter) => filter[1]);
}
