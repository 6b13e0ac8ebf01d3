import type { Parameter } from './board-query.ts';
import { filtersOf, toPath, toQuery } from './parameters.ts';

/** How many systems the API compares at a time. */
export const comparedMin = 2;
export const comparedMax = 6;

/** What the address of a comparison says. */
export interface CompareQuery {
  /** Systems in their order, the first is the baseline. */
  ids: readonly string[];
  /** The metric that is drawn; null for the one that most points have. */
  metric: string | null;
  /** Filters of the API: they narrow the points, and the systems that can be added. */
  filters: readonly Parameter[];
}

const own: ReadonlySet<string> = new Set(['ids', 'system', 'metric']);

/** `ids=a,b`, `ids=a&ids=b` and the API's own `system=a&system=b` say the same. */
export function readCompareQuery(search: URLSearchParams): CompareQuery {
  const ids = [...search.getAll('ids'), ...search.getAll('system')].flatMap((list) => list.split(','));
  return {
    ids: [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))],
    metric: search.get('metric') || null,
    filters: filtersOf(search, own),
  };
}

/** The one address of a comparison. */
export function compareHref({ ids, metric, filters }: CompareQuery): string {
  const parameters: Parameter[] = [];
  if (ids.length > 0) parameters.push(['ids', ids.join(',')]);
  if (metric !== null) parameters.push(['metric', metric]);
  return toPath('/compare', [...parameters, ...filters]);
}

const asked = ({ ids, filters }: CompareQuery): Parameter[] => [
  ...ids.map((id): Parameter => ['system', id]),
  ...filters,
];

export function compareApiPath(query: CompareQuery): string {
  return toPath('/v1/compare', asked(query));
}

export function compareApiQuery(query: CompareQuery): Record<string, string[]> {
  return toQuery(asked(query));
}

/** The comparison's figures and ratios, one line each. */
export function compareCsvPath(query: CompareQuery): string {
  return compareHref({ ...query, metric: null }).replace('/compare', '/compare.csv');
}

/** The comparison with a system put first. */
export function basedOn(query: CompareQuery, id: string): CompareQuery {
  return { ...query, ids: [id, ...query.ids.filter((other) => other !== id)] };
}

export function withoutSystem(query: CompareQuery, id: string): CompareQuery {
  return { ...query, ids: query.ids.filter((other) => other !== id) };
}
