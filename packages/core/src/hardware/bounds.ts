import type { GpuFigures } from './gpus.ts';
import { flopsMost } from './rates.ts';
import type { WeightFigures } from './weights.ts';

/**
 * What decoding needs to know; `context` is tokens a sequence has in the cache, `perStep` tokens that a step may give. A
 * context that sequences may share is read once for all of them at the least. Drafted tokens save reading, not arithmetic:
 * each token that a step gives was multiplied once.
 */
export interface Decoding {
  gpus: GpuFigures;
  weights: WeightFigures;
  context: number;
  perStep: number;
  isShared?: boolean;
  /** True where caches may hold the weights: then arithmetic alone bounds. */
  isCached?: boolean;
}

/** Bytes read for one step of sequences with as many contexts of their own, at the least. Null where the catalogue or the format has no figure. */
export function stepBytes(
  { decodeParams, bytesLeast, kvBytesLeast }: WeightFigures,
  contexts: number,
  context: number,
) {
  if (decodeParams === null || bytesLeast === null) return null;
  return decodeParams * bytesLeast + contexts * context * kvBytesLeast;
}

/**
 * The fastest a single user can be served, tok/s: each step reads the active weights and the sequence's cache once, from
 * the memory of the GPUs that share the sequence, and multiplies them for each token. Null where a figure is missing.
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
  /** Seconds that one step takes at best. */
  stepS: number;
  /** tok/s that arithmetic alone would allow; null where no rate is known. */
  computeBound: number | null;
}

/**
 * The fastest a batch can be decoded: a step reads the weights once and the cache of each sequence, and multiplies all
 * of them (scaling-book; Pope et al. 2022). Of a mixture of experts it may be that all tokens pick the same ones.
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
