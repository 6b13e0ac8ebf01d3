import type { Parameter } from './board-query.ts';

/** What a URL says besides a page's own parameters: filters, as the API takes them. Empty fields of a form say nothing. */
export function filtersOf(search: URLSearchParams, own: ReadonlySet<string>): Parameter[] {
  return [...search].filter(([name, value]) => !own.has(name) && value !== '');
}

/** Parameters as the API's client takes them. */
export function toQuery(parameters: readonly Parameter[]): Record<string, string[]> {
  const query: Record<string, string[]> = {};
  for (const [name, value] of parameters) query[name] = [...(query[name] ?? []), value];
  return query;
}

/** A path with its query; without one where nothing is said. */
export function toPath(path: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return path;
  // A comma is no delimiter in a query: left as it is, lists of ids stay readable.
  return `${path}?${new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString().replaceAll('%2C', ',')}`;
}

/** The same parameters with one of them set, or taken away where the value is null. */
export function withParameter(
  parameters: readonly Parameter[],
  name: string,
  value: string | null,
): readonly Parameter[] {
  const others = parameters.filter((parameter) => parameter[0] !== name);
  return value === null ? others : [...others, [name, value]];
}
