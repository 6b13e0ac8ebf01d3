import type { Model } from '../catalogue/index.ts';

/** For insight into systems, never for findings: the minimum and the expected work of a model. */

/** Expected number of experts per layer that a batch uses if each token selects `active` of `total` at random. */
export function expertsTouched(total: number, active: number, batch: number): number {
  return total * (1 - (1 - active / total) ** batch);
}

/**
 * Expected bytes of weights read in one decoding step of a batch. Experts may have fewer bytes per weight than the rest. For
 * dense models, it does not depend on the batch. Null if the catalogue lacks a figure.
 */
export function expectedStepBytes(
  model: Model,
  batch: number,
  { experts, others }: { experts: number; others: number },
): number | null {
  const { expertsTotal, expertsActive, moeLayers, nonExpertParamsB, expertParamsOneB, matmulParamsPerTokenB } = model;
  if (expertsTotal === null) return matmulParamsPerTokenB === null ? null : matmulParamsPerTokenB * 1e9 * others;
  if (expertsActive === null || moeLayers === null || nonExpertParamsB === null || expertParamsOneB === null)
    return null;
  const touched = moeLayers * expertsTouched(expertsTotal, expertsActive, batch) * expertParamsOneB;
  return (nonExpertParamsB * others + touched * experts) * 1e9;
}

/** Operations of an uncached prompt with the given tokens: the weights, and attention among the tokens. Null as above. */
export function prefillFlops(model: Model, tokens: number): number | null {
  const { prefillParamsPerTokenB, layers, attentionHeads, headDim } = model;
  if (prefillParamsPerTokenB === null || layers === null || attentionHeads === null || headDim === null) return null;
  return 2 * prefillParamsPerTokenB * 1e9 * tokens + 2 * layers * attentionHeads * headDim * tokens ** 2;
}

/** Batch size from which decoding a dense model with short contexts is limited by compute instead of memory bandwidth. */
export function computeBoundBatch(flops: number, bytesPerWeight: number, bandwidth: number): number {
  return (flops * bytesPerWeight) / (2 * bandwidth);
}
