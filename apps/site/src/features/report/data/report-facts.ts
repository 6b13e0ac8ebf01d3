import { findModel } from '@inferboard/core/catalogue/models';
import type { System } from '../../../lib/api.ts';
import { engineText, gpuText, quantizationText, systemTitle } from '../../../lib/words.ts';

const billions = (params: number) => (params >= 1000 ? `${Number((params / 1000).toPrecision(3))}T` : `${params}B`);

/** "35B MoE, 3B active params, FP8"; null for a model that is not in the catalogue. */
export function architectureText(system: System): string | null {
  const model = system.model.id === null ? null : findModel(system.model.id);
  if (model === null) return null;
  const { architecture, paramsTotalB, paramsActiveB } = model;
  const parts = [
    `${billions(paramsTotalB)} ${architecture === 'moe' ? 'MoE' : 'dense'}`,
    architecture === 'moe' ? `${billions(paramsActiveB)} active params` : null,
    system.quantization.id === null ? null : quantizationText(system),
  ];
  return parts.filter((part) => part != null).join(', ');
}

/** The head of a report: the model with the repository that was submitted, the GPU and the architecture. */
export function reportFacts(system: System): { fact: string; value: string }[] {
  const { name } = system.model;
  if (name === 'n/a') return [];
  const engine = engineText(system);
  const architecture = architectureText(system);
  return [
    { fact: 'Model', value: name === 'unspecified' ? 'not stated' : name.includes('/') ? name : systemTitle(system) },
    { fact: 'GPU', value: system.gpu_count === 1 ? `1x ${gpuText(system)}` : gpuText(system) },
    ...(engine === null ? [] : [{ fact: 'Engine', value: engine }]),
    ...(architecture === null ? [] : [{ fact: 'Architecture', value: architecture }]),
  ];
}
