import type { System } from '../../../lib/api.ts';
import { distinguishingFacts } from '../../../lib/distinct-systems.ts';
import { gpuText, quantizationText, systemTitle } from '../../../lib/words.ts';
import { systemHistoryHref } from './history-query.ts';

/** Systems that differ only in the version of their engine. */
export interface Lineage {
  title: string;
  quantization: string | null;
  /** "8x H200 · tensor parallelism 8": the GPUs, and the facts that distinguish it from others with the same names. */
  hardware: string;
  engine: string;
  /** In list order, which has no meaning. */
  systems: System[];
  versions: string[];
  href: string;
}

const facts = ({ model, quantization, gpu, gpu_count, gpu_power_limit_w, engine, parallelism, features }: System) => [
  ...[model.id ?? model.name, quantization.id ?? quantization.name, quantization.recipe],
  ...[gpu.id ?? gpu.family ?? gpu.name, gpu_count, gpu_power_limit_w, engine.id ?? engine.name],
  ...[Object.entries(parallelism).sort(), Object.entries(features).sort()],
];

/** "vLLM" of "vLLM 0.11.0". */
export function engineName({ engine }: System): string {
  const { title, version, name } = engine;
  const bare = version !== null && title.endsWith(version) ? title.slice(0, -version.length).trim() : title;
  return bare === '' ? (name === 'unspecified' ? 'the engine' : name) : bare;
}

const byVersion = new Intl.Collator('en', { numeric: true }).compare;

/** Those with the most versions first. */
export function toLineages(systems: readonly System[]): Lineage[] {
  const groups = [...Map.groupBy(systems, (system) => JSON.stringify(facts(system))).values()];
  const details = distinguishingFacts(
    groups.flatMap(([first]) => first ?? []),
    (system) => JSON.stringify([systemTitle(system), quantizationText(system), gpuText(system), engineName(system)]),
  );
  return groups
    .flatMap((list): Lineage[] => {
      const [first] = list;
      if (first === undefined) return [];
      return [
        {
          title: systemTitle(first),
          quantization: quantizationText(first),
          hardware: [gpuText(first), ...(details.get(first.id) ?? [])].join(' · '),
          engine: engineName(first),
          systems: list,
          versions: [...new Set(list.flatMap(({ engine }) => engine.version ?? []))].sort(byVersion),
          href: systemHistoryHref(first.id),
        },
      ];
    })
    .toSorted((a, b) => b.systems.length - a.systems.length);
}

/** "Qwen3 8B fp8 · H100 SXM · vLLM": the name of a lineage in a chart with several. */
export const lineageLabel = ({ title, quantization, hardware, engine }: Lineage): string =>
  [[title, quantization].filter((part) => part !== null).join(' '), hardware, engine].join(' · ');
