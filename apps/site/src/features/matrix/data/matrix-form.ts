import { metricFamilies } from '@inferboard/core/metrics/index';
import { dimensions } from '@inferboard/core/ranking/subject';
import type { CatalogueItem, UsedItems } from '../../../lib/api.ts';
import { factSelects, itemName } from '../../../lib/filter-view.ts';
import { formatCount } from '../../../lib/format.ts';
import { metricHeading, metricOf, rankableGroups } from '../../../lib/metric-text.ts';
import type { SelectForm } from '../../../lib/select-form.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import type { MatrixQuery } from './matrix-query.ts';

/** Facts that the bars of a grid can represent. */
const seriesDimensions = ['model', 'quantization', 'gpu', 'engine', 'system'];

const dimensionTitle = (name: string) => {
  const known = factSelects.find(({ parameter }) => parameter === name)?.label;
  const words = known ?? `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll('_', ' ')}`;
  return words.replace(/^Gpu\b/, 'GPU');
};

const choice = (name: string, label: string, values: readonly string[], chosen: string) => ({
  name,
  label,
  groups: [
    {
      title: null,
      options: [...new Set([...values, chosen])].map((value) => ({
        value,
        label: dimensionTitle(value),
        selected: value === chosen,
      })),
    },
  ],
});

function metricChoice(chosen: string, first: readonly SelectForm['selects'][number]['groups'][number][] = []) {
  return {
    name: 'metric',
    label: 'Metric',
    groups: [
      ...first,
      ...rankableGroups.map(({ title, metrics }) => ({
        title,
        options: metrics.map((metric) => ({
          value: metric.name as string,
          label: metricHeading(metric),
          selected: metric.name === chosen || `${metric.family.base}` === chosen,
        })),
      })),
    ],
  };
}

/** The option that leaves the metric to the API; `found` is the one that it chose, null if another one was chosen here. */
function usualMetric(found: string | null) {
  const metric = found === null ? null : metricOf(found);
  const label = metric === null ? 'the default of these filters' : `${metricHeading(metric)}: the default`;
  return { title: null, options: [{ value: '', label, selected: found !== null }] };
}

function familyChoice(chosen: string) {
  const options = metricFamilies
    .filter(({ statistics }) => statistics !== null)
    .map(({ base, title, unit }) => ({ value: base, label: `${title} (${unit})`, selected: base === chosen }));
  return { name: 'metric', label: 'Metric', groups: [{ title: null, options }] };
}

function factChoice(parameter: string, label: string, items: readonly CatalogueItem[], filters: readonly Parameter[]) {
  const chosen = filters.find(([name]) => name === parameter)?.[1];
  const options = items.map(({ id, name, points }) => ({
    value: id,
    label: `${itemName(parameter, { id, name })} (${formatCount(points ?? 0)})`,
    selected: id === chosen,
  }));
  const isListed = chosen === undefined || options.some(({ selected }) => selected);
  const all = isListed ? options : [{ value: chosen, label: chosen, selected: true }, ...options];
  return {
    name: parameter,
    label,
    groups: [{ title: null, options: [{ value: '', label: 'any', selected: false }, ...all] }],
  };
}

/**
 * The form of the matrix page, filled in from its URL.
 *
 * @param shownMetric the metric of the table
 */
export function toMatrixForm(query: MatrixQuery, shownMetric: string, used: UsedItems): SelectForm {
  const facts = factSelects.map(({ parameter, label, kind }) =>
    factChoice(parameter, label, used[kind] ?? [], query.filters),
  );
  const fields = new Set(facts.map(({ name }) => name));
  const own = {
    table: [
      choice('rows', 'Rows', dimensions, query.rows),
      choice('columns', 'Columns', dimensions, query.columns),
      metricChoice(query.metric, [usualMetric(query.metric === '' ? shownMetric : null)]),
    ],
    grid: [choice('series', 'One bar per', seriesDimensions, query.series), familyChoice(query.metric)],
    ranking: [metricChoice(query.metric)],
    power: [],
  }[query.view];
  const view: Parameter[] = query.view === 'table' ? [] : [['view', query.view]];
  const baseline: Parameter[] = query.baseline === null ? [] : [['baseline', query.baseline]];
  return {
    selects: [...own, ...facts],
    hidden: [...view, ...baseline, ...query.filters.filter(([name]) => !fields.has(name))],
  };
}
