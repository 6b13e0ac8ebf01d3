import type { Parameter } from '../features/board/data/board-query.ts';

/** The filters of a URL: all parameters that are not the page's. Ignores empty form fields. */
export function filtersOf(search: URLSearchParams, own: ReadonlySet<string>): Parameter[] {
  return [...search].filter(([name, value]) => !own.has(name) && value !== '');
}

/** Parameters in the form of the API client. */
export function toQuery(parameters: readonly Parameter[]): Record<string, string[]> {
  const query: Record<string, string[]> = {};
  for (const [name, value] of parameters) query[name] = [...(query[name] ?? []), value];
  return query;
}

/** A path with its query; without `?` if the query is empty. */
export function toPath(path: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return path;
  // A comma is not a delimiter in a query, so lists of ids stay readable without encoding.
  return `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString().replaceAll('%2C', ',')}`;
}

/** The same parameters with one of them set, or removed if the value is null. */
export function withParameter(
  parameters: readonly Parameter[],
  name: string,
  value: string | null,
): readonly Parameter[] {
  const others = parameters.filter((parameter) => parameter[0] !== name);
  return value === null ? others : [...others, [name, value]];
}

const hasText = /^\/v1\/(?:leaderboard|best|compare|results|systems|matrix|pareto|history|submissions\/[^/?]+)(?:\?|$)/;

/** The URL of an API response as text for a terminal, if it has that form; otherwise the same URL. */
export const asText = (path: string): string =>
  hasText.test(path) ? `${path}${path.includes('?') ? '&' : '?'}format=text` : path;
