import type { Decoding } from '../hardware/bounds.ts';
import { type GpuFigures, gpuFigures } from '../hardware/gpus.ts';
import { isOffloaded } from '../hardware/offload.ts';
import { tokensPerStep } from '../hardware/speculation.ts';
import { isOn } from '../hardware/switches.ts';
import { type WeightFigures, weightFigures } from '../hardware/weights.ts';
import type { Result } from '../result.ts';
import { lengthsOf } from '../scenario.ts';

/** What the physics checks hold a result against, or what they lack to do so. */
export interface Setting {
  gpus: GpuFigures;
  weights: WeightFigures;
}

/** What of a result the limits of the hardware depend on. */
export type HardwareClaim = Pick<Result, 'system' | 'scenario' | 'metrics' | 'extra'> &
  Partial<Pick<Result, 'lengths'>>;

/**
 * Tokens that each sequence has in the cache when its first is decoded: what was asked, or the mean that was counted
 * where that is less.
 */
function contextOf({ metrics, scenario, lengths = null }: HardwareClaim): number {
  const { input_tokens, requests_ok } = metrics;
  const asked = lengthsOf({ scenario, lengths }).inputTokens ?? 0;
  const counted = input_tokens === undefined || !requests_ok ? asked : input_tokens / requests_ok;
  return Math.min(asked, counted) + (scenario.depth ?? 0);
}

/** True where sequences may read one copy of a prompt that they have in common. */
function sharesContext({ system: { features } }: HardwareClaim): boolean {
  return isOn(features.shared_prompt) || isOn(features.prefix_caching);
}

/** GPUs and weights, or the names of what is missing. */
export function settingOf(result: HardwareClaim): Setting | string[] {
  const gpus = gpuFigures(result.system);
  const weights = weightFigures(result);
  if (gpus !== null && weights !== null) return { gpus, weights };
  return [
    ...(gpus === null ? ['a GPU of the catalogue and how many'] : []),
    ...(weights === null ? ['a model of the catalogue'] : []),
  ];
}

/** The same where reading weights bounds a speed: they must lie on the GPUs, and steps must give a known number of tokens. */
export function decodingOf(result: HardwareClaim): (Setting & Decoding) | string[] {
  const setting = settingOf(result);
  const perStep = tokensPerStep(result.system, result.extra);
  const missing = [
    ...(Array.isArray(setting) ? setting : []),
    ...(perStep === null ? ['the number of draft_tokens'] : []),
    ...(isOffloaded(result) ? ['how much of the weights and the cache lies in GPU memory'] : []),
  ];
  if (Array.isArray(setting) || perStep === null || missing.length > 0) return missing;
  const { decodeParams, bytesLeast } = setting.weights;
  if (decodeParams === null) return ["the model's active parameters"];
  if (bytesLeast === null) return ['the bits of this quantization'];
  if (decodeParams * bytesLeast < cachedBelowBytes)
    return ['the bandwidth of the GPU caches, which may hold so few weights,'];
  return { ...setting, perStep, context: contextOf(result), isShared: sharesContext(result) };
}

/** Weights that a last-level cache may hold: up to 256 MiB on one GPU, more on several. */
const cachedBelowBytes = 0.5e9;

/** Sequences decoded together: as many as are in flight at most. Null where the load does not say. */
export function batchOf({ load }: Result): number | null {
  if (load.mode === 'unspecified') return null;
  return load.mode === 'rate' ? (load.maxConcurrency ?? null) : load.level;
}
