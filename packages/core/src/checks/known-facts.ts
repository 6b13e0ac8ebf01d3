import { resolveEngine, resolveGpu, resolveModel } from '../catalogue/index.ts';
import { notApplicable, unspecified } from '../system.ts';
import type { Check } from './check.ts';

/** Facts nobody claims to be in the catalogue. */
const waived: readonly string[] = [unspecified, notApplicable];

function nearest(suggestions: readonly string[]): string {
  return suggestions.length === 0 ? '' : ` Nearest known: ${suggestions.join(', ')}.`;
}

/** Off the boards until an admin maps it: without the GPU's figures nothing about the result can be judged. */
export const knownGpu: Check = {
  id: 'F1',
  code: 'gpu_unknown',
  title: 'The GPU is in the catalogue',
  rule:
    'The GPU resolves to a row or a family of the catalogue, whatever alias it was given by; a GPU that is unspecified or not applicable claims nothing. ' +
    'One that nobody knows is a warning, and the result waits for review outside the rankings: without bandwidth, memory and arithmetic of the GPU no limit can be computed.',
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
        message: `The catalogue does not know the GPU "${gpu.name}", so the result waits for review under its own words.${nearest(suggestions)}`,
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
    'The model resolves to a row or a family of the catalogue, whatever alias it was given by; a model that is unspecified or not applicable claims nothing. ' +
    'One that nobody knows is a warning, and the result waits for review outside the rankings: without its weights and layers no limit can be computed.',
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
        message: `The catalogue does not know the model "${model.name}", so the result waits for review under its own words.${nearest(suggestions)}`,
        evidence: { model: model.name, nearest: suggestions },
      },
    ];
  },
};

/** Off the boards until an admin clears it: what anybody can make up must not stand beside the names of engines. */
export const knownEngine: Check = {
  id: 'F3',
  code: 'engine_unknown',
  title: 'The engine is in the catalogue',
  rule:
    'The engine resolves to a row of the catalogue, whatever alias it was given by; an engine that is unspecified claims nothing. ' +
    'One that nobody knows is a warning, and the result waits for review outside the rankings, so that no made-up name stands on a board. ' +
    'The implementations that a benchmark of kernels compares are no engines.',
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
        message: `The catalogue does not know the engine "${engine.name}", so the result waits for review under its own words.${nearest(suggestions)}`,
        evidence: { engine: engine.name, nearest: suggestions },
      },
    ];
  },
};
