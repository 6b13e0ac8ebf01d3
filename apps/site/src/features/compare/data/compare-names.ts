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

/**
 * Names of the compared systems in legends: the letter and the differing facts, such as "A vLLM 0.11". The letter distinguishes
 * systems without a stated difference.
 */
export function comparedNames({ systems, differences }: Pick<Comparison, 'systems' | 'differences'>): string[] {
  const fields = [...new Map(differences.map(({ field, values }) => [partOf[field] ?? field, values]))];
  return systems.map((system, at) => {
    const parts = fields.map(([field, values]) => texts[field]?.(system) ?? ownText(field, values[at] ?? null));
    return [String.fromCharCode('A'.charCodeAt(0) + at), [...new Set(parts)].slice(0, factsMax).join(', ')]
      .filter((part) => part !== '')
      .join(' ');
  });
}
