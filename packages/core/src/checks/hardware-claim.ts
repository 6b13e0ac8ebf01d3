import { type GpuFigures, gpuFigures } from '../hardware/gpus.ts';
import { tokensPerStep } from '../hardware/speculation.ts';
import { type WeightFigures, weightFigures } from '../hardware/weights.ts';
import type { Result } from '../result.ts';

/** What the physics checks hold a result against, or what they lack to do so. */
export interface Setting {
  gpus: GpuFigures;
  weights: WeightFigures;
}

/** Layers or cache outside GPU memory: then the GPU's memory bounds nothing. */
export const isOffloaded = ({ features }: Result['system']): boolean => (features.offload ?? false) !== false;

/** GPUs and weights, or the names of what is missing. */
export function settingOf(result: Result): Setting | string[] {
  const gpus = gpuFigures(result.system);
  const weights = weightFigures(result);
  if (gpus !== null && weights !== null) return { gpus, weights };
  return [
    ...(gpus === null ? ['a GPU of the catalogue and how many'] : []),
    ...(weights === null ? ['a model of the catalogue'] : []),
  ];
}

/** The same where reading weights bounds a speed: they must lie on the GPUs, and steps must give a known number of tokens. */
export function decodingOf(result: Result): (Setting & { context: number; perStep: number }) | string[] {
  const setting = settingOf(result);
  const perStep = tokensPerStep(result.system, result.extra);
  const missing = [
    ...(Array.isArray(setting) ? setting : []),
    ...(perStep === null ? ['the number of draft_tokens'] : []),
    ...(isOffloaded(result.system) ? ['weights that all lie in GPU memory'] : []),
  ];
  if (Array.isArray(setting) || perStep === null || missing.length > 0) return missing;
  const { decodeParams, bytesLeast } = setting.weights;
  if (decodeParams === null) return ["the model's active parameters"];
  if (bytesLeast === null) return ['the bits of this quantization'];
  if (decodeParams * bytesLeast < cachedBelowBytes) return ['weights larger than the caches of the GPU'];
  const { inputTokens, depth } = result.scenario;
  return { ...setting, perStep, context: (inputTokens ?? 0) + (depth ?? 0) };
}

/** Weights that a last-level cache may hold: up to 256 MiB on one GPU, more on several. */
const cachedBelowBytes = 0.5e9;

/** Sequences decoded together: as many as are in flight at most. Null where the load does not say. */
export function batchOf({ load }: Result): number | null {
  if (load.mode === 'unspecified') return null;
  return load.mode === 'rate' ? (load.maxConcurrency ?? null) : load.level;
}
