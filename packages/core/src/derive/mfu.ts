import { gpuFigures } from '../hardware/gpus.ts';
import { uncachedShare } from '../hardware/prefix-cache.ts';
import { flopsOfPrecision } from '../hardware/rates.ts';
import { weightFigures } from '../hardware/weights.ts';
import type { Derivation } from './derivation.ts';

/**
 * Model FLOP utilization: (2 x prefill parameters x input tok/s + 2 x active parameters x output tok/s) / (GPUs x dense peak
 * of the precision in use). Excludes prompt tokens from a prefix cache. Null if a cache is declared without a count, for a
 * bare GPU family, and if the format does not determine the precision.
 */
export const mfu: Derivation = {
  metric: 'mfu',
  derive({ result }) {
    const { input_tok_s, output_tok_s } = result.metrics;
    const gpus = gpuFigures(result.system);
    const weights = weightFigures(result);
    const share = uncachedShare(result);
    if (result.kind !== 'serving' || share === null || input_tok_s === undefined || output_tok_s === undefined)
      return null;
    if (gpus === null || gpus.bandwidth === null || weights === null) return null;
    const flops = flopsOfPrecision(gpus, weights);
    const { decodeParams, prefillParams } = weights;
    if (flops === null || decodeParams === null || prefillParams === null) return null;
    const needed = 2 * prefillParams * input_tok_s * share + 2 * decodeParams * output_tok_s;
    return { metric: 'mfu', value: needed / (gpus.count * flops) };
  },
};
