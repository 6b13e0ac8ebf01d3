import type { CatalogueItem, System, UsedItems } from '../../../lib/api.ts';
import { hardwareTexts } from '../../../lib/distinct-systems.ts';
import { factSelects, type Option } from '../../../lib/filter-view.ts';
import { formatPlural } from '../../../lib/format.ts';
import { engineText, gpuText, hardwareText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
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
  /** Other systems that match the search and the filters. */
  groups: { title: string; systems: PickableSystem[] }[];
  selects: { parameter: string; label: string; options: Option[] }[];
  /** Filters without a form field. */
  hidden: readonly Parameter[];
  /** How many systems match, in words. */
  found: string;
  /** The same picker without search and filters. */
  allHref: string;
  /** Suggested comparisons: systems that differ in one fact. */
  suggestions: { label: string; href: string }[];
}

const suggestionsMax = 5;
const suggestedSystems = 6;

/** The shared facts of a group of comparisons, and the one fact in which the systems differ. */
const kin: readonly { what: string; key: (system: System) => (string | number | null)[] }[] = [
  {
    what: 'quantizations',
    key: ({ model, gpu, gpu_count, gpu_power_limit_w, engine }) => [
      model.title,
      gpu.title,
      gpu_count,
      gpu_power_limit_w,
      engine.title,
    ],
  },
  {
    what: 'power limits',
    key: ({ model, gpu, gpu_count, quantization, engine }) => [
      model.title,
      gpu.title,
      gpu_count,
      quantization.name,
      engine.title,
    ],
  },
  { what: 'GPUs', key: ({ model, quantization, engine }) => [model.title, quantization.name, engine.title] },
  {
    what: 'engines',
    key: ({ model, gpu, gpu_count }) => [model.name === 'n/a' ? 'kernel' : model.title, gpu.title, gpu_count],
  },
];

/** Picks evenly spaced entries of a list, including the first and the last. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, at) => list[Math.round((at * (list.length - 1)) / (count - 1))] as T);
}

/** Facts that the systems of a comparison share besides the model. They distinguish the links. */
function sharedOf(system: System, what: string): string[] {
  const gpu = gpuText({ ...system, gpu_power_limit_w: what === 'quantizations' ? system.gpu_power_limit_w : null });
  const parts = [
    what === 'GPUs' ? null : gpu,
    what === 'power limits' || what === 'GPUs' ? quantizationText(system) : null,
    what === 'engines' ? null : engineText(system),
  ];
  return parts.filter((part) => part !== null);
}

function suggestionsOf(systems: readonly ListedSystem[]): Picker['suggestions'] {
  const found = new Map<string, string>();
  for (const { what, key } of kin) {
    for (const list of Map.groupBy(systems, (system) => JSON.stringify(key(system))).values()) {
      const [first] = list;
      if (first === undefined || list.length < 2) continue;
      const chosen = spread(
        list.toSorted((a, b) => (a.gpu_power_limit_w ?? 0) - (b.gpu_power_limit_w ?? 0)),
        suggestedSystems,
      );
      const href = compareHref({ ids: chosen.map(({ id }) => id), metric: null, filters: [] });
      const of = list.length > chosen.length ? ` of ${list.length}` : '';
      if (!found.has(href))
        found.set(
          href,
          first.model.name === 'n/a'
            ? `${chosen.length}${of} kernels on ${gpuText(first)}`
            : `${chosen.length}${of} ${what}: ${[systemTitle(first), ...sharedOf(first, what)].join(', ')}`,
        );
    }
  }
  return [...found].slice(0, suggestionsMax).map(([href, label]) => ({ href, label }));
}

function toSelect(parameter: string, items: readonly CatalogueItem[], filters: readonly Parameter[]) {
  const chosen = filters.find(([name]) => name === parameter)?.[1];
  const options = items.map(({ id, name, points }) => ({
    value: id,
    label: `${name} (${formatPlural(points ?? 0, 'point')})`,
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

function foundText(count: number, hasMore: boolean, { q = '', filters }: CompareQuery): string {
  const of = q === '' ? '' : ` for “${q}”`;
  if (count === 0) return `No measured system matches ${q === '' ? 'these filters' : `“${q}”`}.`;
  if (hasMore) return `The first ${count} systems${of}, by name. Search or filter to find others.`;
  return q === '' && filters.length === 0
    ? formatPlural(count, 'system')
    : `${formatPlural(count, 'system')}${of} found.`;
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
  const unknown = { title: null, quantization: null, hardware: '', points: '' };
  return {
    q: query.q ?? '',
    chosen: query.ids.map((id) => {
      const system = known.get(id);
      return system === undefined ? { id, ...unknown } : toPickable(system);
    }),
    groups: [...Map.groupBy(systems, systemTitle)]
      .map(([title, list]) => ({
        title,
        systems: list.filter(({ id }) => !query.ids.includes(id)).map(toPickable),
      }))
      .filter((group) => group.systems.length > 0),
    selects: factSelects
      .filter(({ parameter }) => pickerFilters.has(parameter))
      .map(({ parameter, kind }) => toSelect(parameter, used[kind] ?? [], query.filters)),
    hidden: query.filters.filter(([name]) => !pickerFilters.has(name)),
    found: foundText(systems.length, hasMore, query),
    allHref: compareHref({ ids: query.ids, metric: null, filters: [], isChoosing: true }),
    suggestions: suggestionsOf(systems),
  };
}
