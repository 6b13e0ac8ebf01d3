import type { CatalogueItem, CatalogueKind, System } from './api.ts';
import type { Parameter } from './board-query.ts';
import { type CompareQuery, compareHref } from './compare-query.ts';
import { factSelects, type Option } from './filter-view.ts';
import { formatPlural } from './format.ts';
import { engineText, gpuText, hardwareText, quantizationText, systemTitle } from './words.ts';

export type ListedSystem = System & { point_count: number };

export interface PickableSystem {
  id: string;
  title: string;
  quantization: string | null;
  hardware: string;
  points: string;
  isChosen: boolean;
}

export interface Picker {
  groups: { title: string; systems: PickableSystem[] }[];
  selects: { parameter: string; label: string; options: Option[] }[];
  /** Filters that the form has no field for. */
  hidden: readonly Parameter[];
  /** Chosen systems that the list does not show: they stay chosen. */
  kept: readonly string[];
  hasMore: boolean;
  /** Comparisons worth a link: systems that differ in one thing. */
  suggestions: { label: string; href: string }[];
}

const suggestionsMax = 5;
const suggestedSystems = 6;

const picked = ['model', 'gpu', 'engine', 'scenario'];

/** What every system of a family of comparisons shares, and the one thing in which they may differ. */
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

/** Evenly spread over a list, its first and last among them. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, at) => list[Math.round((at * (list.length - 1)) / (count - 1))] as T);
}

/** Facts that the systems of a comparison share besides the model. They distinguish one link from the next. */
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

/** The form that makes the address of a comparison. */
export function toPicker(
  systems: readonly ListedSystem[],
  hasMore: boolean,
  query: CompareQuery,
  used: Partial<Record<CatalogueKind, readonly CatalogueItem[]>>,
): Picker {
  const chosen = new Set(query.ids);
  const groups = Map.groupBy(systems, systemTitle);
  const shown = new Set(systems.map(({ id }) => id));
  return {
    groups: [...groups].map(([title, list]) => ({
      title,
      systems: list.map((system) => ({
        id: system.id,
        title,
        quantization: quantizationText(system),
        hardware: hardwareText(system),
        points: formatPlural(system.point_count, 'point'),
        isChosen: chosen.has(system.id),
      })),
    })),
    selects: factSelects
      .filter(({ parameter }) => picked.includes(parameter))
      .map(({ parameter, kind }) => toSelect(parameter, used[kind] ?? [], query.filters)),
    hidden: query.filters.filter(([name]) => !picked.includes(name)),
    kept: query.ids.filter((id) => !shown.has(id)),
    hasMore,
    suggestions: suggestionsOf(systems),
  };
}
