import { filtersOf, toPath, toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';

/** Aggregation step of a series' values. */
export const historySteps = [
  { id: 'version', label: 'Versions of the engine' },
  { id: 'month', label: 'Months' },
  { id: 'result', label: 'Single results' },
] as const;

export type HistoryStep = (typeof historySteps)[number]['id'];

/** Baselines of the newest value. A version is also possible, by its system's id. */
export const baselines = [
  { id: 'previous', label: 'the previous value' },
  { id: 'first', label: 'the oldest value' },
] as const;

/** Lists of changes, with their API parameters. */
export const changeLists = [
  { id: 'all', label: 'All', asked: [] },
  { id: 'regressions', label: 'Regressions', asked: [['verdict', 'regression']] },
  { id: 'improvements', label: 'Improvements', asked: [['verdict', 'improvement']] },
  { id: 'bests', label: 'New bests', asked: [['type', 'new_best']] },
] as const satisfies readonly { id: string; label: string; asked: readonly Parameter[] }[];

/** The requests for all changes: most have no verdict, and would leave no place for the others. */
export const everyChange: readonly (readonly Parameter[])[] = [
  [
    ['verdict', 'regression'],
    ['verdict', 'improvement'],
    ['verdict', 'stable'],
  ],
  [['type', 'new_best']],
  [['verdict', 'insufficient_data']],
];

export type ChangeListId = (typeof changeLists)[number]['id'];

/** The state of a history's URL, without defaults. */
export interface HistoryQuery {
  /** A system of any version; null to select systems by filters. */
  system: string | null;
  /** Null for the first metric that the system has. */
  metric: string | null;
  /** Null for the default: by version if there are several, else single results. */
  by: HistoryStep | null;
  /** `previous`, `first`, or the id of the system with the baseline version. */
  baseline: string;
  /** The selected list of changes. */
  changes: ChangeListId;
  /** Page of the charts, from 1. */
  page: number;
  /** The API's filters. */
  filters: readonly Parameter[];
}

const own: ReadonlySet<string> = new Set(['system', 'metric', 'by', 'baseline', 'changes', 'page']);
const baselineDefault = 'previous';
const changesDefault: ChangeListId = 'all';

export function readHistoryQuery(search: URLSearchParams): HistoryQuery {
  const page = Number(search.get('page') ?? 1);
  return {
    system: search.get('system') || null,
    metric: search.get('metric') || null,
    by: historySteps.find(({ id }) => id === search.get('by'))?.id ?? null,
    baseline: search.get('baseline') || baselineDefault,
    changes: changeLists.find(({ id }) => id === search.get('changes'))?.id ?? changesDefault,
    page: Number.isInteger(page) && page > 0 ? page : 1,
    filters: filtersOf(search, own),
  };
}

/** The canonical URL of a view. */
export function historyHref({ system, metric, by, baseline, changes, page, filters }: HistoryQuery): string {
  const parameters: Parameter[] = [];
  if (system !== null) parameters.push(['system', system]);
  if (metric !== null) parameters.push(['metric', metric]);
  if (by !== null) parameters.push(['by', by]);
  if (baseline !== baselineDefault) parameters.push(['baseline', baseline]);
  parameters.push(...filters);
  if (changes !== changesDefault) parameters.push(['changes', changes]);
  if (page > 1) parameters.push(['page', String(page)]);
  return toPath('/history', parameters);
}

/** The same query with changes; it starts at the first page. */
export const changedHistory = (query: HistoryQuery, changes: Partial<HistoryQuery>): HistoryQuery => ({
  ...query,
  page: 1,
  ...changes,
});

/** URL of a system's history, for any metric that it has. */
export const systemHistoryHref = (id: string): string => toPath('/history', [['system', id]]);

/** Maximum number of series in a response. */
const seriesMax = '200';

/** The API query of a history with a known system, metric and step. */
export interface HistoryQuestion {
  system: string;
  metric: string;
  by: HistoryStep;
  filters: readonly Parameter[];
}

const asked = ({ system, metric, by, filters }: HistoryQuestion): Parameter[] => [
  ['system', system],
  ['metric', metric],
  ...(by === 'version' ? [] : [['by', by] as const]),
  ...filters,
];

export const historyApiPath = (question: HistoryQuestion): string => toPath('/v1/history', asked(question));
export const historyApiQuery = (question: HistoryQuestion): Record<string, string[]> =>
  toQuery([...asked(question), ['limit', seriesMax]]);
export const historyCsvPath = (question: HistoryQuestion): string => toPath('/history.csv', asked(question));
