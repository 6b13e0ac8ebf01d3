import type { Dimension } from '@inferboard/core/ranking/subject';
import { filtersOf, toPath, toQuery } from '../../../lib/parameters.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { speedMetric } from '../../board/data/ranked-metric.ts';

/** The views of the page. */
export const matrixViews = [
  { id: 'table', label: 'Table' },
  { id: 'grid', label: 'Serving grid' },
  { id: 'ranking', label: 'Batch ranking' },
  { id: 'power', label: 'Power limits' },
] as const;

export type MatrixViewId = (typeof matrixViews)[number]['id'];

/** The state of the URL, without defaults. */
export interface MatrixQuery {
  view: MatrixViewId;
  rows: string;
  columns: string;
  /** Empty for the API's default under the filters, which only the table has. */
  metric: string;
  order: string | null;
  /** The fact that the bars of the serving grid represent. */
  series: string;
  /** The baseline system of a ranking's speedups; null for the unquantized one of each model and GPU. */
  baseline: string | null;
  /** Whether the page shows every row and column instead of the ones with the most results. */
  isWhole: boolean;
  filters: readonly Parameter[];
}

const own: ReadonlySet<string> = new Set(['view', 'rows', 'columns', 'metric', 'order', 'series', 'baseline', 'all']);

/** Default metric of each view. The grid uses a metric family. */
const metricDefaults: Record<MatrixViewId, string> = {
  table: '',
  grid: 'e2e_ms',
  ranking: speedMetric,
  power: speedMetric,
};
/** Defaults of the table, as in the API: models by GPUs. */
const rowsDefault = (columns: string | null): Dimension => (columns === 'model' ? 'gpu' : 'model');
const columnsDefault = (rows: string): Dimension => (rows === 'gpu' ? 'model' : 'gpu');
const seriesDefault: Dimension = 'model';

export function readMatrixQuery(search: URLSearchParams): MatrixQuery {
  const view = matrixViews.find(({ id }) => id === search.get('view'))?.id ?? 'table';
  const rows = search.get('rows') || rowsDefault(search.get('columns'));
  return {
    view,
    rows,
    columns: search.get('columns') || columnsDefault(rows),
    metric: search.get('metric') || metricDefaults[view],
    order: search.get('order') || null,
    series: search.get('series') || seriesDefault,
    baseline: search.get('baseline') || null,
    isWhole: search.get('all') === 'true',
    filters: filtersOf(search, own),
  };
}

export function matrixHref(query: MatrixQuery): string {
  const parameters: Parameter[] = [];
  const put = (name: string, value: string | null, unless: string) => {
    if (value !== null && value !== unless) parameters.push([name, value]);
  };
  put('view', query.view, 'table');
  if (query.view === 'table') {
    put('rows', query.rows, query.columns === 'model' ? '' : 'model');
    put('columns', query.columns, columnsDefault(query.rows));
    put('order', query.order, '');
  }
  put('metric', query.metric, metricDefaults[query.view]);
  if (query.view === 'grid') put('series', query.series, seriesDefault);
  if (query.view === 'ranking') put('baseline', query.baseline, '');
  if (query.isWhole && (query.view === 'table' || query.view === 'ranking')) parameters.push(['all', 'true']);
  return toPath('/matrix', [...parameters, ...query.filters]);
}

/** Another view with the same filters. */
export function matrixViewHref(view: MatrixViewId, { filters }: MatrixQuery): string {
  return matrixHref({ ...readMatrixQuery(new URLSearchParams()), view, metric: metricDefaults[view], filters });
}

function asked({ rows, columns, metric, order, filters }: MatrixQuery): Parameter[] {
  const sides: Parameter[] = [
    ['rows', rows],
    ['columns', columns],
  ];
  return [
    ...sides,
    ...(metric === '' ? [] : [['metric', metric] as const]),
    ...(order === null ? [] : [['order', order] as const]),
    ...filters,
  ];
}

export const matrixApiQuery = (query: MatrixQuery) => toQuery(asked(query));
export const matrixApiPath = (query: MatrixQuery) => toPath('/v1/matrix', asked(query));
