import type { CatalogueItem, System, UsedItems } from '../../../lib/api.ts';
import { hardwareTexts } from '../../../lib/distinct-systems.ts';
import { factSelects, itemName, type Option } from '../../../lib/filter-view.ts';
import { formatPlural } from '../../../lib/format.ts';
import { hardwareText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { isNamed } from '../../catalogue/data/catalogue-index.ts';
import { type CompareQuery, compareHref, pickerFilters } from './compare-query.ts';

export type ListedSystem = System & { point_count: number };

export interface PickableSystem {
  id: string;
  /** Null if the system is not known. */
  title: string | null;
  quantization: string | null;
  hardware: string;
  points: string;
}

export interface Picker {
  q: string;
  /** The selected systems, in the order of the comparison. */
  chosen: PickableSystem[];
  /** Other systems that match the search and the filters. Empty if they are too many to list and nothing limits them. */
  groups: { title: string; systems: PickableSystem[] }[];
  /** The models with the most points, to choose from instead of the systems; empty if the systems are listed. */
  models: { title: string; points: string; href: string }[];
  selects: { parameter: string; label: string; options: Option[] }[];
  /** Filters without a form field. */
  hidden: readonly Parameter[];
  /** How many systems match, in words. */
  found: string;
  /** The same picker without search and filters. */
  allHref: string;
}

function toSelect(parameter: string, items: readonly CatalogueItem[], filters: readonly Parameter[]) {
  const chosen = filters.find(([name]) => name === parameter)?.[1];
  const options = items.map(({ id, name, points }) => ({
    value: id,
    label: `${itemName(parameter, { id, name })} (${formatPlural(points ?? 0, 'point')})`,
    selected: id === chosen,
  }));
  const isListed = chosen === undefined || options.some(({ selected }) => selected);
  const label = factSelects.find((select) => select.parameter === parameter)?.label ?? parameter;
  return {
    parameter,
    label,
    options: isListed ? options : [{ value: chosen, label: chosen, selected: true }, ...options],
  };
}

const pickableOf =
  (hardware: ReadonlyMap<string, string>) =>
  (system: ListedSystem): PickableSystem => ({
    id: system.id,
    title: systemTitle(system),
    quantization: quantizationText(system),
    hardware: hardware.get(system.id) ?? hardwareText(system),
    points: formatPlural(system.point_count, 'point'),
  });

/** By name, with numbers in their order: 8x before 16x. */
const { compare: byName } = new Intl.Collator('en', { numeric: true });

/** Maximum number of models instead of systems. */
const modelsMax = 24;

/** Whether neither a search nor a filter limits the systems. */
const isUnlimited = ({ q = '', filters }: CompareQuery): boolean => q === '' && filters.length === 0;

function foundText(count: number, hasMore: boolean, query: CompareQuery): string {
  const { q = '' } = query;
  if (hasMore && isUnlimited(query)) return 'Select a model to list its systems, or search.';
  const of = q === '' ? '' : ` for “${q}”`;
  if (count === 0) return `No measured system matches ${q === '' ? 'these filters' : `“${q}”`}.`;
  if (hasMore) return `The first ${count} systems${of}, by name. Search or filter to find others.`;
  return isUnlimited(query) ? formatPlural(count, 'system') : `${formatPlural(count, 'system')}${of} found.`;
}

/** The form that selects the systems of a comparison. `selected`: the selected systems that exist. */
export function toPicker(
  systems: readonly ListedSystem[],
  hasMore: boolean,
  query: CompareQuery,
  selected: readonly ListedSystem[],
  used: UsedItems,
): Picker {
  const known = new Map([...systems, ...selected].map((system) => [system.id, system]));
  const toPickable = pickableOf(hardwareTexts([...known.values()]));
  const isOfModels = hasMore && isUnlimited(query);
  const byPoints = (used.models ?? [])
    .filter((item) => isNamed(item) && (item.points ?? 0) > 0)
    .toSorted((a, b) => (b.points ?? 0) - (a.points ?? 0));
  const unknown = { title: null, quantization: null, hardware: '', points: '' };
  return {
    q: query.q ?? '',
    chosen: query.ids.map((id) => {
      const system = known.get(id);
      return system === undefined ? { id, ...unknown } : toPickable(system);
    }),
    groups: [...Map.groupBy(isOfModels ? [] : systems, systemTitle)]
      .map(([title, list]) => ({
        title,
        systems: list
          .filter(({ id }) => !query.ids.includes(id))
          .toSorted((a, b) => byName(a.label, b.label))
          .map(toPickable),
      }))
      .filter((group) => group.systems.length > 0),
    models: (isOfModels ? byPoints.slice(0, modelsMax) : []).map(({ id, name, points }) => ({
      title: itemName('model', { id, name }),
      points: formatPlural(points ?? 0, 'point'),
      href: `${compareHref({ ...query, filters: [['model', id]], isChoosing: true })}#choose`,
    })),
    selects: factSelects
      .filter(({ parameter }) => pickerFilters.has(parameter))
      .map(({ parameter, kind }) => toSelect(parameter, used[kind] ?? [], query.filters)),
    hidden: query.filters.filter(([name]) => !pickerFilters.has(name)),
    found: foundText(systems.length, hasMore, query),
    allHref: compareHref({ ids: query.ids, metric: null, filters: [], isChoosing: true }),
  };
}
