import { subjects } from '@inferboard/core/questions/index';
import { type BoardQuery, type Parameter, valuesOf } from '../features/board/data/board-query.ts';
import { rankedMetric } from '../features/board/data/ranked-metric.ts';
import { factName } from '../features/catalogue/data/fact-name.ts';
import type { CatalogueItem, CatalogueKind, Problem, UsedItems } from './api.ts';
import { formatPlural } from './format.ts';
import { metricHeading, metricOf, rankableGroups } from './metric-text.ts';

/** The list fields of the form, by parameter, with their catalogue kind. */
export const factSelects: readonly { parameter: string; label: string; kind: CatalogueKind }[] = [
  { parameter: 'scenario', label: 'Scenario', kind: 'scenarios' },
  { parameter: 'model', label: 'Model', kind: 'models' },
  { parameter: 'quantization', label: 'Quantization', kind: 'quantizations' },
  { parameter: 'gpu', label: 'GPU', kind: 'gpus' },
  { parameter: 'engine', label: 'Engine', kind: 'engines' },
];

const boundParameters: readonly { parameter: string; side: 'at most' | 'at least' }[] = [
  { parameter: 'max_ttft_ms', side: 'at most' },
  { parameter: 'max_itl_ms', side: 'at most' },
  { parameter: 'min_user_tok_s', side: 'at least' },
];

/** The name of a fact's value in a list. Scenarios without an entry in the catalogue have the name of their lengths. */
export const itemName = (parameter: string, { id, name }: Pick<CatalogueItem, 'id' | 'name'>): string =>
  parameter === 'scenario' ? factName('scenario', id) : name;

/** Maximum number of listed values of a fact; questions in words can name the others. */
const optionsMax = 40;

export interface Option {
  value: string;
  label: string;
  selected: boolean;
}

/** A fact with its possible values; several can be selected. */
export interface Facet {
  parameter: string;
  label: string;
  options: { value: string; label: string; points: string; checked: boolean }[];
  /** Selected values. */
  chosen: number;
  /** Number of unlisted values with points. */
  unlisted: number;
  fault: string | null;
}

export interface FilterForm {
  rankBy: { title: string; options: Option[] }[];
  subjects: Option[];
  facets: Facet[];
  bounds: { parameter: string; label: string; value: string; fault: string | null }[];
  /** Parameters of the URL without a form field, kept when the form is sent. A new metric resets the order. */
  hidden: Parameter[];
}

function rankByOptions(query: BoardQuery): FilterForm['rankBy'] {
  const current = query.rankBy === null ? null : (rankedMetric(query.rankBy)?.name ?? query.rankBy);
  const groups = rankableGroups.map(({ title, metrics }) => ({
    title,
    options: metrics.map((metric) => ({
      value: metric.name as string,
      label: metricHeading(metric),
      selected: metric.name === current,
    })),
  }));
  const open = { value: '', label: 'Most common metric', selected: current === null };
  const costs = [rankedMetric('usd_per_mtok_output')].flatMap((metric) =>
    metric === null ? [] : [{ value: metric.name, label: metricHeading(metric), selected: metric.name === current }],
  );
  const all = [{ title: 'Default', options: [open] }, ...groups, { title: 'Cost', options: costs }];
  if (current === null || all.some(({ options }) => options.some(({ selected }) => selected))) return all;
  const metric = rankedMetric(current);
  const label = metric === null ? current : metricHeading(metric);
  return [{ title: 'Requested', options: [{ value: current, label, selected: true }] }, ...all];
}

const subjectLabels: Record<(typeof subjects)[number], string> = {
  model: 'Model',
  gpu: 'GPU',
  quantization: 'Quantization',
  engine: 'Engine',
  system: 'System',
};

function subjectOptions({ subject }: BoardQuery): Option[] {
  const current = subject ?? 'system';
  const known = subjects.map((value) => ({ value, label: subjectLabels[value], selected: value === current }));
  const isKnown = known.some(({ selected }) => selected);
  return isKnown ? known.toReversed() : [{ value: current, label: current, selected: true }, ...known.toReversed()];
}

function toFacet(
  { parameter, label }: (typeof factSelects)[number],
  items: readonly CatalogueItem[],
  chosen: readonly string[],
  fault: string | null,
): Facet {
  const ticked = new Set(chosen);
  // "n/a" is not a value: the results do not have the fact, such as the model of a kernel.
  const values = items.filter(({ id }) => id !== 'n/a');
  const byPoints = values.toSorted((a, b) => (b.points ?? 0) - (a.points ?? 0));
  const listed = byPoints.filter(({ id }, place) => place < optionsMax || ticked.has(id));
  const known = new Set(listed.map(({ id }) => id));
  // Families, aliases and values without points from the URL are selected too.
  const others = chosen.filter((value) => !known.has(value));
  return {
    parameter,
    label,
    options: [
      ...[...new Set(others)].map((value) => ({ value, label: factName(parameter, value), points: '', checked: true })),
      ...listed.map(({ id, name, points }) => ({
        value: id,
        label: itemName(parameter, { id, name }),
        points: formatPlural(points ?? 0, 'point'),
        checked: ticked.has(id),
      })),
    ],
    chosen: ticked.size,
    unlisted: values.length - listed.length,
    fault,
  };
}

/** The error of a parameter; null without one. */
export function faultText(problem: Problem | null, parameter: string): string | null {
  const faults = problem?.errors?.filter((fault) => fault.parameter === parameter) ?? [];
  return faults.length === 0
    ? null
    : faults.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)).join(' ');
}

/** The filter form of a board, filled in from its URL. */
export function toFilterForm(query: BoardQuery, used: UsedItems, problem: Problem | null): FilterForm {
  const refused = new Set(problem?.errors?.map((fault) => fault.parameter));
  const facetNames = new Set(factSelects.map(({ parameter }) => parameter));
  const boundNames = boundParameters.map(({ parameter }) => parameter);
  // The field bounds the mean, by its name with or without `_mean`. A question in words always states the statistic.
  const boundOf = (name: string) => (valuesOf(query, name)[0] === undefined ? `${name}_mean` : name);
  const fields = new Map(boundNames.map((name) => [boundOf(name), valuesOf(query, boundOf(name))[0]]));
  // Do not repeat rejected values.
  const hidden = query.filters.filter(
    ([name, value]) => !refused.has(name) && !facetNames.has(name) && fields.get(name) !== value,
  );
  const kept = ([name, value]: readonly [string, string | null]): Parameter[] =>
    value === null || refused.has(name) ? [] : [[name, value]];
  return {
    rankBy: rankByOptions(query),
    subjects: subjectOptions(query),
    facets: factSelects.map((fact) =>
      toFacet(fact, used[fact.kind] ?? [], valuesOf(query, fact.parameter), faultText(problem, fact.parameter)),
    ),
    bounds: boundParameters.map(({ parameter, side }) => {
      const metric = metricOf(parameter.slice('max_'.length));
      const label = metric === null ? parameter : `${metric.title} ${side} (${metric.family.unit})`;
      return { parameter, label, value: fields.get(boundOf(parameter)) ?? '', fault: faultText(problem, parameter) };
    }),
    hidden: [...hidden, ...kept(['gpu_usd_per_hour', query.price]), ...kept(['limit', query.limit])],
  };
}
