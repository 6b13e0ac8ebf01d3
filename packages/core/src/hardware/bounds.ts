import type { GpuFigures } from './gpus.ts';
import { flopsMost } from './rates.ts';
import type { WeightFigures } from './weights.ts';

/**
 * Inputs of the decoding bounds. `context` is the cached tokens per sequence, `perStep` the maximum tokens of one step. A
 * shared context is read at least once for all sequences. Drafted tokens save reads but not compute: each generated token is
 * multiplied once.
 */
export interface Decoding {
  gpus: GpuFigures;
  weights: WeightFigures;
  context: number;
  perStep: number;
  isShared?: boolean;
  /** True if caches may hold the weights. Then only compute limits the speed. */
  isCached?: boolean;
}

/**
 * Minimum bytes read in one step of sequences with the given number of separate contexts. Null if the catalogue or the
 * format lacks a figure.
 */
export function stepBytes(
  { decodeParams, bytesLeast, kvBytesLeast }: WeightFigures,
  contexts: number,
  context: number,
) {
  if (decodeParams === null || bytesLeast === null) return null;
  return decodeParams * bytesLeast + contexts * context * kvBytesLeast;
}

/**
 * Maximum speed for a single user in tok/s. Each step reads the active weights and the sequence's cache once, from the
 * memory of the GPUs that share the sequence. It multiplies the weights for each token. Null if a figure is missing.
 */
export function userBound({ gpus, weights, context, perStep, isCached = false }: Decoding): number | null {
  const bytes = stepBytes(weights, 1, context);
  if (bytes === null || weights.decodeParams === null) return null;
  const flops = flopsMost(gpus, weights);
  const byArithmetic = flops === null ? Infinity : (gpus.width * flops) / (2 * weights.decodeParams);
  const byMemory = isCached ? Infinity : (perStep * gpus.width * gpus.bandwidthMost) / bytes;
  const bound = Math.min(byArithmetic, byMemory);
  return bound === Infinity ? null : bound;
}

export interface SystemBound {
  /** tok/s of all sequences together. */
  bound: number;
  bytesPerStep: number;
  /** Minimum seconds of one step. */
  stepS: number;
  /** Maximum tok/s by compute alone; null if no rate is known. */
  computeBound: number | null;
}

/**
 * Maximum decode speed of a batch. A step reads the weights once and the cache of each sequence, and multiplies the weights
 * for all sequences (scaling-book; Pope et al. 2022). In a mixture of experts, all tokens may select the same experts.
 */
export function systemBound(
  { gpus, weights, context, perStep, isShared = false, isCached = false }: Decoding,
  batch: number,
): SystemBound | null {
  const bytesPerStep = stepBytes(weights, isShared ? 1 : batch, context);
  if (bytesPerStep === null || weights.decodeParams === null) return null;
  const flops = flopsMost(gpus, weights);
  const computeS = flops === null ? 0 : (2 * weights.decodeParams * perStep * batch) / (gpus.decoding * flops);
  const readingS = isCached ? 0 : bytesPerStep / (gpus.decoding * gpus.bandwidthMost);
  const stepS = Math.max(readingS, computeS);
  if (stepS === 0) return null;
  return {
    bound: (perStep * batch) / stepS,
    bytesPerStep,
    stepS,
    computeBound: computeS === 0 ? null : (perStep * batch) / computeS,
  };
}
