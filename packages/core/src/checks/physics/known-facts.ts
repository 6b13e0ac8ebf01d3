import { resolveEngine, resolveGpu, resolveModel } from '../../catalogue/index.ts';
import { isNoGpu, noGpuHint } from '../../catalogue/names/no-gpu.ts';
import { notApplicable, unspecified } from '../../subjects/system.ts';
import type { Check } from '../check.ts';

/** Placeholders that are not claimed to be in the catalogue. */
const waived: readonly string[] = [unspecified, notApplicable];

function nearest(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? '' : ` Closest entries: ${suggestions.join(', ')}.`;
}

/** Keeps a result off the boards until an admin maps the GPU. Without the GPU's figures, the result cannot be checked. */
export const knownGpu: Check = {
  id: 'F1',
  code: 'gpu_unknown',
  title: 'The GPU is in the catalogue',
  rule:
    'The GPU resolves to an entry or a family of the catalogue, by any alias. A GPU that is unspecified or not applicable is not checked. ' +
    'An unknown GPU is a warning, and the result is held for review outside the rankings: without the bandwidth, memory and arithmetic rate of the GPU, no limit can be computed.',
  check({
    result: {
      system: { gpu },
    },
  }) {
    if (gpu.id !== null || gpu.family !== null || waived.includes(gpu.name)) return 'pass';
    const { suggestions } = resolveGpu(gpu.name);
    return [
      {
        severity: 'warning',
        message: isNoGpu(gpu.name)
          ? `The GPU "${gpu.name}" does not name a device, so the result is held for review under this name. ${noGpuHint}`
          : `The GPU "${gpu.name}" is not in the catalogue, so the result is held for review under this name.${nearest(suggestions)}`,
        evidence: { gpu: gpu.name, nearest: suggestions },
      },
    ];
  },
};

export const knownModel: Check = {
  id: 'F2',
  code: 'model_unknown',
  title: 'The model is in the catalogue',
  rule:
    'The model resolves to an entry or a family of the catalogue, by any alias. A model that is unspecified or not applicable is not checked. ' +
    'An unknown model is a warning, and the result is held for review outside the rankings: without its weights and layers, no limit can be computed.',
  check({
    result: {
      system: { model },
    },
  }) {
    if (model.id !== null || model.family !== null || waived.includes(model.name)) return 'pass';
    const { suggestions } = resolveModel(model.name);
    return [
      {
        severity: 'warning',
        message: `The model "${model.name}" is not in the catalogue, so the result is held for review under this name.${nearest(suggestions)}`,
        evidence: { model: model.name, nearest: suggestions },
      },
    ];
  },
};

/** Keeps a result off the boards until an admin clears it, so that made-up engine names never appear next to real ones. */
export const knownEngine: Check = {
  id: 'F3',
  code: 'engine_unknown',
  title: 'The engine is in the catalogue',
  rule:
    'The engine resolves to an entry of the catalogue, by any alias. An unspecified engine is not checked. ' +
    'An unknown engine is a warning, and the result is held for review outside the rankings, so that no invented name appears on a board. ' +
    'The implementations in a kernel benchmark are not engines.',
  check({
    result: {
      kind,
      system: { engine },
    },
  }) {
    if (kind === 'kernel') return 'not_applicable';
    if (engine.id !== null || waived.includes(engine.name)) return 'pass';
    const { suggestions } = resolveEngine(engine.name);
    return [
      {
        severity: 'warning',
        message: `The engine "${engine.name}" is not in the catalogue, so the result is held for review under this name.${nearest(suggestions)}`,
        evidence: { engine: engine.name, nearest: suggestions },
      },
    ];
  },
};
