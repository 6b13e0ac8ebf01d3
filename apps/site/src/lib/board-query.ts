import { metricOf, naturalOrder } from './metric-text.ts';

/** What the front page ranks by when its URL does not say. The API has a default of its own. */
export const rankByDefault = 'decode_tok_s';
const limitDefault = '50';

/** One parameter as it stands in a URL. */
export type Parameter = readonly [name: string, value: string];

/** The board's state: exactly what its URL says. */
export interface BoardQuery {
  rankBy: string;
  /** Null where the better values come first. */
  order: 'asc' | 'desc' | null;
  /** Everything that narrows the board, in the order given; unknown names too. */
  filters: readonly Parameter[];
  limit: string | null;
  cursor: string | null;
}

const ownNames: ReadonlySet<string> = new Set(['rank_by', 'order', 'limit', 'cursor']);

function isDefault([name, value]: Parameter, rankBy: string): boolean {
  if (value === '') return true;
  if (name === 'rank_by') return value === rankByDefault;
  if (name === 'order') return value === naturalOrder(metricOf(rankBy));
  return name === 'limit' && value === limitDefault;
}

/** The parameters that say something: no empty ones, as forms send them, and no defaults. */
export function meaningfulParameters(search: URLSearchParams): Parameter[] {
  const rankBy = search.get('rank_by') || rankByDefault;
  return [...search].filter((parameter) => !isDefault(parameter, rankBy));
}

export function readBoardQuery(search: URLSearchParams): BoardQuery {
  const parameters = meaningfulParameters(search);
  const find = (name: string) => parameters.find((parameter) => parameter[0] === name)?.[1] ?? null;
  const order = find('order');
  return {
    rankBy: find('rank_by') ?? rankByDefault,
    // Anything else stays among the filters, for the API to refuse.
    order: order === 'asc' || order === 'desc' ? order : null,
    filters: parameters.filter(
      ([name, value]) => !ownNames.has(name) || (name === 'order' && !['asc', 'desc'].includes(value)),
    ),
    limit: find('limit'),
    cursor: find('cursor'),
  };
}

function toSearch(query: BoardQuery, rankByAlways: boolean): URLSearchParams {
  const search = new URLSearchParams();
  if (rankByAlways || query.rankBy !== rankByDefault) search.set('rank_by', query.rankBy);
  if (query.order !== null && query.order !== naturalOrder(metricOf(query.rankBy))) search.set('order', query.order);
  for (const [name, value] of query.filters) search.append(name, value);
  if (query.limit !== null) search.set('limit', query.limit);
  if (query.cursor !== null) search.set('cursor', query.cursor);
  return search;
}

const withSearch = (path: string, search: URLSearchParams) => (search.size === 0 ? path : `${path}?${search}`);

/** The page that shows a board. */
export function boardHref(query: BoardQuery): string {
  return withSearch('/', toSearch(query, false));
}

/** The same data from the API. */
export function boardApiPath(query: BoardQuery): string {
  return withSearch('/v1/leaderboard', toSearch(query, true));
}

/** The same question as the API's client takes it. */
export function boardApiQuery(query: BoardQuery): Record<string, string[]> {
  const asked: Record<string, string[]> = {};
  for (const [name, value] of toSearch(query, true)) asked[name] = [...(asked[name] ?? []), value];
  return asked;
}

/** Another view starts at its first page. */
export function changed(query: BoardQuery, changes: Partial<BoardQuery>): BoardQuery {
  return { ...query, cursor: null, ...changes };
}

export function without(query: BoardQuery, [name, value]: Parameter): BoardQuery {
  return changed(query, { filters: query.filters.filter((filter) => filter[0] !== name || filter[1] !== value) });
}

/** Values of one filter; a parameter that is repeated has several. */
export function valuesOf(query: BoardQuery, name: string): string[] {
  return query.filters.filter((filter) => filter[0] === name).map((filter) => filter[1]);
}
