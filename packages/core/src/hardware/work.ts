import type { Model } from '../catalogue/index.ts';

/** For insight into systems, never to accuse one: what a model needs at best, and what it is expected to need. */

/** Experts of a layer that a batch touches if each token picks its `active` of `total` at random. */
export function expertsTouched(total: number, active: number, batch: number): number {
  return total * (1 - (1 - active / total) ** batch);
}

/**
 * Bytes of weights that one decoding step of a batch is expected to read: experts may be kept in fewer bytes a weight than
 * the rest. Dense models read the same for any batch. Null where the catalogue lacks a figure.
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

/** Operations of an uncached prompt of so many tokens: the weights, and attention among the tokens. Null as above. */
export function prefillFlops(model: Model, tokens: number): number | null {
  const { prefillParamsPerTokenB, layers, attentionHeads, headDim } = model;
  if (prefillParamsPerTokenB === null || layers === null || attentionHeads === null || headDim === null) return null;
  return 2 * prefillParamsPerTokenB * 1e9 * tokens + 2 * layers * attentionHeads * headDim * tokens ** 2;
}

/** Sequences from which decoding a dense model over short contexts is bound by arithmetic instead of by reading weights. */
export function computeBoundBatch(flops: number, bytesPerWeight: number, bandwidth: number): number {
  return (flops * bytesPerWeight) / (2 * bandwidth);
}
