import { filtersOf, toPath, toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';

/** Minimum and maximum number of systems in an API comparison. */
export const comparedMin = 2;
export const comparedMax = 6;

/** The state of a comparison's URL. */
export interface CompareQuery {
  /** Systems in order; the first is the baseline. */
  ids: readonly string[];
  /** The metric of the charts; null for the one with the most points. */
  metric: string | null;
  /** API filters for the points and for the systems that can be added. */
  filters: readonly Parameter[];
  /** The words of the picker's search; empty without a search. */
  q?: string;
  /** Whether the page shows the picker instead of the comparison of the selected systems. */
  isChoosing?: boolean;
}

/** `compare`: the form's button that compares the selected systems, regardless of the picker's search and filters. */
const own: ReadonlySet<string> = new Set(['ids', 'system', 'metric', 'q', 'choose', 'compare']);

/** Filters that have a form field in the picker. */
export const pickerFilters: ReadonlySet<string> = new Set(['model', 'gpu', 'engine', 'scenario']);

/** `ids=a,b`, `ids=a&ids=b` and the API's `system=a&system=b` are equivalent. */
export function readCompareQuery(search: URLSearchParams): CompareQuery {
  const given = [...search.getAll('ids'), ...search.getAll('system')].flatMap((list) => list.split(','));
  const ids = [...new Set(given.map((id) => id.trim()).filter((id) => id !== ''))];
  const isCompared = search.has('compare');
  const filters = filtersOf(search, own);
  return {
    ids,
    metric: search.get('metric') || null,
    filters: isCompared ? filters.filter(([name]) => !pickerFilters.has(name)) : filters,
    q: isCompared ? '' : (search.get('q') ?? '').trim(),
    isChoosing: !isCompared && search.has('choose'),
  };
}

/** The canonical URL of a comparison. */
export function compareHref({ ids, metric, filters, q = '', isChoosing = false }: CompareQuery): string {
  const parameters: Parameter[] = [];
  if (ids.length > 0) parameters.push(['ids', ids.join(',')]);
  // Without selected systems the page is the picker anyway.
  if (ids.length > 0 && isChoosing) parameters.push(['choose', 'true']);
  if (q !== '' && (isChoosing || ids.length === 0)) parameters.push(['q', q]);
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

/** Parameters of the systems that the picker lists. An id as the search text means that system. */
export function systemsAsked({ q = '', filters }: CompareQuery): Parameter[] {
  if (q === '') return [...filters];
  return [[/^sys_[0-9a-f]+$/.test(q) ? 'system' : 'q', q], ...filters];
}

/** Maximum number of systems in the picker's list. */
const listedMax = 100;

export const pickerApiQuery = (query: CompareQuery): Record<string, string[]> => ({
  ...toQuery(systemsAsked(query)),
  limit: [String(listedMax)],
});

/** URL of the CSV file with the comparison's values and ratios. */
export function compareCsvPath(query: CompareQuery): string {
  return compareHref({ ...query, metric: null }).replace('/compare', '/compare.csv');
}

/** The comparison with a system moved to the front. */
export function basedOn(query: CompareQuery, id: string): CompareQuery {
  return { ...query, ids: [id, ...query.ids.filter((other) => other !== id)] };
}

export function withoutSystem(query: CompareQuery, id: string): CompareQuery {
  return { ...query, ids: query.ids.filter((other) => other !== id) };
}
