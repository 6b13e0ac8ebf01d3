import { differencesOf } from '@inferboard/core/series/comparison';
import type { Comparison, System } from '../../../lib/api.ts';
import { engineText, gpuText, quantizationText, systemTitle } from '../../../lib/words.ts';

/** Maximum number of facts in a name, so that it fits a legend; the table has the others. */
const factsMax = 3;

const unstated = (text: string | null, fact: string) => text ?? `unspecified ${fact}`;

/** Text of a differing fact in a name; facts that are written together share one entry. */
const texts: Readonly<Record<string, (system: System) => string>> = {
  model: systemTitle,
  quantization: (system) => unstated(quantizationText(system), 'quantization'),
  gpu: gpuText,
  engine: (system) => unstated(engineText(system), 'engine'),
};

const partOf: Readonly<Record<string, string>> = {
  gpu_count: 'gpu',
  gpu_power_limit_w: 'gpu',
  engine_version: 'engine',
};

function ownText(field: string, value: string | number | boolean | null): string {
  const name = field.replace(/^(parallelism|features)\./, '').replaceAll('_', ' ');
  if (field === 'quantization_recipe') return value === null ? 'no recipe stated' : String(value);
  if (value === null) return `${name} not stated`;
  if (typeof value === 'boolean') return `${name} ${value ? 'on' : 'off'}`;
  return `${name} ${value}`;
}

type Differences = Comparison['differences'];

/** The differing facts of each system in words, the most important first. */
function differingTexts(systems: readonly System[], differences: Differences): string[][] {
  const fields = [...new Map(differences.map(({ field, values }) => [partOf[field] ?? field, values]))];
  return systems.map((system, at) => {
    const parts = fields.map(([field, values]) => texts[field]?.(system) ?? ownText(field, values[at] ?? null));
    return [...new Set(parts)].slice(0, factsMax);
  });
}

/**
 * Names of the compared systems in legends: the letter and the differing facts, such as "A vLLM 0.11". The letter distinguishes
 * systems without a stated difference.
 */
export const comparedNames = ({ systems, differences }: Pick<Comparison, 'systems' | 'differences'>): string[] =>
  differingTexts(systems, differences).map((parts, at) =>
    `${String.fromCharCode('A'.charCodeAt(0) + at)} ${parts.join(', ')}`.trimEnd(),
  );

/** Facts of a system by field, for differences. */
export const factsOf = ({ model, quantization, gpu, engine, ...system }: System) => ({
  model: model.id ?? model.name,
  quantization: quantization.id ?? quantization.name,
  gpu: gpu.id ?? gpu.name,
  gpu_count: system.gpu_count,
  gpu_power_limit_w: system.gpu_power_limit_w,
  engine: engine.id ?? engine.name,
  engine_version: engine.version,
  quantization_recipe: quantization.recipe.join(', ') || null,
  ...Object.fromEntries(Object.entries(system.parallelism).map(([name, width]) => [`${name}_parallel`, width])),
  ...system.features,
});

/** Names by the fewest facts that distinguish the systems, such as "H200, vLLM 0.11"; if none differ, the quantization. */
export function distinctNames(systems: readonly System[]): string[] {
  const all = differingTexts(systems, differencesOf(systems.map(factsOf)));
  const namesOf = (count: number) => all.map((parts) => parts.slice(0, count).join(', '));
  const counts = Array.from({ length: factsMax }, (_, at) => at + 1);
  const fewest = counts.find((count) => new Set(namesOf(count)).size === systems.length) ?? factsMax;
  return namesOf(fewest).map((name, at) => {
    const system = systems[at];
    return name === '' && system !== undefined ? (quantizationText(system) ?? systemTitle(system)) : name;
  });
}
