import { formatLoad } from '@inferboard/core/load';
import type { CatalogueItem, CatalogueKind, Problem } from './api.ts';
import {
  type BoardQuery,
  boardHref,
  changed,
  type Parameter,
  rankByDefault,
  readBoardQuery,
  valuesOf,
  without,
} from './board-query.ts';
import { formatCount } from './format.ts';
import { metricHeading, metricOf, rankableGroups } from './metric-text.ts';

/** The facts that the form offers as lists, by parameter, with the catalogue they come from. */
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

export interface Option {
  value: string;
  label: string;
  selected: boolean;
}

export interface FilterForm {
  rankBy: { title: string; options: Option[] }[];
  selects: { parameter: string; label: string; options: Option[]; fault: string | null }[];
  bounds: { parameter: string; label: string; value: string; fault: string | null }[];
  /** What the URL says and the form has no field for: kept when the form is sent. The order starts anew with the metric. */
  hidden: Parameter[];
  /** Each filter in force, with the view without it. */
  active: { label: string; href: string }[];
}

function rankByOptions(query: BoardQuery): FilterForm['rankBy'] {
  const current = metricOf(query.rankBy)?.name ?? query.rankBy;
  const groups = rankableGroups.map(({ title, metrics }) => ({
    title,
    options: metrics.map((metric) => ({
      value: metric.name as string,
      label: metricHeading(metric),
      selected: metric.name === current,
    })),
  }));
  if (groups.some(({ options }) => options.some(({ selected }) => selected))) return groups;
  const metric = metricOf(query.rankBy);
  const label = metric === null ? query.rankBy : metricHeading(metric);
  return [{ title: 'As asked', options: [{ value: query.rankBy, label, selected: true }] }, ...groups];
}

function factOptions(items: readonly CatalogueItem[], chosen: string | undefined): Option[] {
  const options = items.map(({ id, name, points }) => ({
    value: id,
    label: `${name} (${formatCount(points ?? 0)})`,
    selected: id === chosen,
  }));
  const isListed = chosen === undefined || options.some(({ selected }) => selected);
  return isListed ? options : [{ value: chosen, label: chosen, selected: true }, ...options];
}

/** "TTFT at most 200 ms", "GPU: h100". */
function filterLabel([name, value]: Parameter): string {
  const bound = /^(min|max)_(.+)$/.exec(name);
  const metric = bound === null ? null : metricOf(bound[2] ?? '');
  if (bound !== null && metric !== null) {
    return `${metric.title} ${bound[1] === 'min' ? 'at least' : 'at most'} ${value} ${metric.family.unit}`.trimEnd();
  }
  const fact = factSelects.find(({ parameter }) => parameter === name);
  return `${fact?.label ?? name.replaceAll('_', ' ')}: ${value}`;
}

function faultText(problem: Problem | null, parameter: string): string | null {
  const faults = problem?.errors?.filter((fault) => fault.parameter === parameter) ?? [];
  return faults.length === 0
    ? null
    : faults.map(({ message, hint }) => (hint ? `${message} ${hint}` : message)).join(' ');
}

/** The form that makes a board's URL, filled in with what this one's says. */
export function toFilterForm(
  query: BoardQuery,
  used: Partial<Record<CatalogueKind, readonly CatalogueItem[]>>,
  problem: Problem | null,
): FilterForm {
  const refused = new Set(problem?.errors?.map((fault) => fault.parameter));
  const fields = new Set([...factSelects, ...boundParameters].map(({ parameter }) => parameter));
  // A field holds the first of repeated values; the others travel along. What was refused must not come back.
  const firsts = new Map([...fields].map((name) => [name, valuesOf(query, name)[0]]));
  const hidden = query.filters.filter(([name, value]) => !refused.has(name) && firsts.get(name) !== value);
  const limit: Parameter[] = query.limit === null || refused.has('limit') ? [] : [['limit', query.limit]];
  return {
    rankBy: rankByOptions(query),
    selects: factSelects.map(({ parameter, label, kind }) => ({
      parameter,
      label,
      options: factOptions(used[kind] ?? [], firsts.get(parameter)),
      fault: faultText(problem, parameter),
    })),
    bounds: boundParameters.map(({ parameter, side }) => {
      const metric = metricOf(parameter.slice('max_'.length));
      const label = metric === null ? parameter : `${metric.title} ${side} (${metric.family.unit})`;
      return { parameter, label, value: firsts.get(parameter) ?? '', fault: faultText(problem, parameter) };
    }),
    hidden: [...hidden, ...limit],
    active: query.filters.map((filter) => ({ label: filterLabel(filter), href: boardHref(without(query, filter)) })),
  };
}

const views: readonly { label: string; search: string }[] = [
  { label: 'Quantizations, decode-bound', search: 'scenario=decode-bound' },
  { label: 'llama-bench tg128', search: 'scenario=tg128' },
  { label: 'Tokens per joule', search: 'rank_by=tok_per_joule&scenario=tg128' },
  { label: 'Time to first token', search: 'rank_by=ttft_ms_mean' },
  { label: `Base grid, ${formatLoad({ mode: 'batch', level: 32 })}`, search: 'scenario=base' },
  { label: 'Kernels, causal mask', search: 'rank_by=forward_ms&scenario=causal-mask' },
];

/** Questions worth a link, with the one that is being looked at. */
export function presetLinks(query: BoardQuery): { label: string; href: string; isCurrent: boolean }[] {
  const current = boardHref(changed(query, {}));
  const all = { label: 'All serving results', search: '' };
  return [all, ...views].map(({ label, search }) => {
    const href = boardHref(readBoardQuery(new URLSearchParams(search)));
    return { label, href, isCurrent: href === current };
  });
}

/** "Decode speed on decode-bound": a board in a few words. */
export function boardTitle(query: BoardQuery): string {
  const metric = metricOf(query.rankBy)?.title ?? metricOf(rankByDefault)?.title ?? 'Leaderboard';
  const scenarios = valuesOf(query, 'scenario');
  const facts = ['model', 'quantization', 'gpu', 'engine'].flatMap((name) => valuesOf(query, name));
  const where = scenarios.length === 0 ? '' : ` on ${scenarios.join(' or ')}`;
  return metric + where + (facts.length === 0 ? '' : `, ${facts.join(', ')}`);
}
