import type { Api, CatalogueItem, Comparison, System } from '../../../lib/api.ts';
import { formatPlural } from '../../../lib/format.ts';
import { toQuery } from '../../../lib/parameters.ts';
import { engineText, gpuText, loadText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { factsOf } from './compare-names.ts';
import type { ListedSystem } from './compare-picker.ts';
import { comparedMax, comparedMin, compareHref } from './compare-query.ts';

/** A comparison of systems that differ in one fact and have common measurements. */
export interface Suggestion {
  /** "Quantization: fp4 or fp8". */
  differs: string;
  /** "DeepSeek R1, 8x B200 SXM 180GB, SGLang 0.5.12". */
  equal: string;
  /** "8K→1K at 5 loads". */
  common: string;
  href: string;
}

interface Difference {
  title: string;
  /** The fields of `factsOf` that may differ. */
  fields: RegExp;
  /** The differing fact in words; null if the system does not state it. */
  textOf(system: System): string | null;
}

const isStated = (name: string) => name !== 'n/a' && name !== 'unspecified' && name !== '';

/** A list shows at most this many suggestions, first one of each kind. */
const suggestionsMax = 6;
const perKind = 2;
/** Maximum number of comparisons that are read for each kind. */
const triesMax = 3;
const workloadsMax = 12;

const gpuOnly = (system: System) => gpuText({ ...system, gpu_power_limit_w: null });

const speculation = ({ features }: System): string | null => {
  const { speculative_decoding: isOn, speculative_algorithm: algorithm } = features;
  if (typeof isOn !== 'boolean' && algorithm == null) return null;
  return isOn === false ? 'off' : String(algorithm ?? 'on');
};

const differences: readonly Difference[] = [
  {
    title: 'Quantization',
    fields: /^quantization/,
    textOf: (system) => (isStated(system.quantization.name) ? quantizationText(system) : null),
  },
  {
    title: 'GPU',
    fields: /^gpu$/,
    textOf: (system) => (isStated(system.gpu.name) ? gpuOnly(system) : null),
  },
  { title: 'Engine', fields: /^engine/, textOf: engineText },
  {
    title: 'Power limit',
    fields: /^gpu_power_limit_w$/,
    textOf: ({ gpu_power_limit_w: limit }) => (limit === null ? null : `${limit} W`),
  },
  { title: 'Speculative decoding', fields: /^speculative_/, textOf: speculation },
  {
    title: 'Engine version',
    fields: /^engine_version$/,
    textOf: (system) => (system.engine.version === null ? null : engineText(system)),
  },
];

const isKernel = ({ model }: System) => model.name === 'n/a';

/** Systems with an unknown model or GPU may differ in it. */
const isKnown = (system: System) => isStated(system.gpu.name) && system.model.name !== 'unspecified';

/** Picks evenly spaced entries of a list, including the first and the last. */
function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  return Array.from({ length: count }, (_, at) => list[Math.round((at * (list.length - 1)) / (count - 1))] as T);
}

/** Groups of systems that differ only in the fact, with one system for each of its values. The ones with the most points are first. */
function groupsOf(systems: readonly ListedSystem[], { title, fields, textOf }: Difference): ListedSystem[][] {
  const order = new Intl.Collator('en', { numeric: true }).compare;
  const rest = (system: System) =>
    JSON.stringify(
      Object.entries(factsOf(system))
        .filter(([field, value]) => value !== null && !fields.test(field))
        .toSorted(([a], [b]) => order(a, b)),
    );
  /** Versions of one engine are a separate kind of comparison. */
  const answerOf = (system: System) => (title === 'Engine' ? system.engine.name : textOf(system));
  const stated = systems.filter((system) => isKnown(system) && textOf(system) !== null);
  return [...Map.groupBy(stated, rest).values()]
    .map((alike) => {
      const most = alike.toSorted((a, b) => b.point_count - a.point_count);
      const values = [...Map.groupBy(most, answerOf).values()].flatMap(([system]) => (system ? [system] : []));
      const sorted = values.toSorted((a, b) => order(textOf(a) ?? '', textOf(b) ?? ''));
      return spread(sorted, comparedMax);
    })
    .filter((group) => group.length >= comparedMin)
    .toSorted((a, b) => leastPoints(b) - leastPoints(a));
}

const leastPoints = (group: readonly ListedSystem[]) => Math.min(...group.map(({ point_count }) => point_count));

/** The workloads and loads at which all systems have a figure of the same metric; null if there are none. */
export function commonText(points: Comparison['points']): string | null {
  const shared = points.filter(({ metrics }) =>
    metrics.some(({ figures }) => figures.every((figure) => figure !== null)),
  );
  if (shared.length === 0) return null;
  const workloads = [...Map.groupBy(shared, ({ scenario }) => scenario.id)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  const [[id, at], ...others] = workloads as [(typeof workloads)[number], ...typeof workloads];
  const loads = at.length === 1 && at[0] !== undefined ? loadText(at[0].load) : formatPlural(at.length, 'load');
  const more = others.length === 0 ? '' : `, and on ${formatPlural(others.length, 'other workload')}`;
  return `${scenarioTitle(id)} at ${loads}${more}`;
}

function orText(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} or ${last}`;
}

/** The main facts that the systems share, in words. */
function equalText(system: System, { title }: Difference): string {
  const shown = title === 'Power limit' ? gpuOnly(system) : gpuText(system);
  const parts = [
    isKernel(system) ? 'Attention kernels' : systemTitle(system),
    title === 'Quantization' ? null : quantizationText(system),
    title !== 'GPU' ? shown : null,
    title.startsWith('Engine') || isKernel(system) ? null : engineText(system),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** The suggestion for a group; null if its systems have no common measurements. */
async function suggestionOf(api: Api, group: readonly ListedSystem[], of: Difference): Promise<Suggestion | null> {
  const [first] = group;
  const ids = group.map(({ id }) => id);
  const { data } = await api.compareSystems({ system: ids });
  const common = commonText(data?.points ?? []);
  if (first === undefined || common === null) return null;
  const title = of.title === 'Engine' && isKernel(first) ? 'Implementation' : of.title;
  return {
    differs: `${title}: ${orText(group.map((system) => of.textOf(system) ?? ''))}`,
    equal: equalText(first, of),
    common,
    href: compareHref({ ids, metric: null, filters: [] }),
  };
}

/** The systems of the workloads that most systems share. */
async function readCandidates(api: Api, filters: readonly Parameter[]): Promise<ListedSystem[][]> {
  const asked = filters.some(([name]) => name === 'scenario' || name === 'workload');
  const { data } = asked ? { data: null } : await api.listCatalogue('workloads');
  const countOf = (item: CatalogueItem) => ('systems' in item ? Number(item.systems) : 0);
  const workloads = (data?.data ?? []).toSorted((a, b) => countOf(b) - countOf(a)).slice(0, workloadsMax);
  const queries = asked ? [[...filters]] : workloads.map(({ id }): Parameter[] => [...filters, ['workload', id]]);
  const lists = await Promise.all(queries.map((query) => api.listSystems({ ...toQuery(query), limit: ['100'] })));
  return lists.map((list) => list.data?.data ?? []);
}

/** Comparisons of systems that differ in one fact, each checked for common measurements. */
export async function readSuggestions(api: Api, filters: readonly Parameter[]): Promise<Suggestion[]> {
  const lists = await readCandidates(api, filters);
  const byKind = await Promise.all(
    differences.map(async (of) => {
      const groups = lists.flatMap((systems) => groupsOf(systems, of).slice(0, triesMax));
      const distinct = [...new Map(groups.map((group) => [group.map(({ id }) => id).join(), group])).values()];
      const tried = distinct.toSorted((a, b) => leastPoints(b) - leastPoints(a)).slice(0, triesMax);
      const found = await Promise.all(tried.map((group) => suggestionOf(api, group, of)));
      return found.filter((suggestion) => suggestion !== null).slice(0, perKind);
    }),
  );
  const rounds = Array.from({ length: perKind }, (_, round) => byKind.flatMap((kind) => kind[round] ?? []));
  return rounds.flat().slice(0, suggestionsMax);
}
