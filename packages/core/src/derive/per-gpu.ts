import type { Derivation } from './derivation.ts';

/** output_tok_s / GPUs used. */
export const perGpu: Derivation = {
  metric: 'output_tok_s_per_gpu',
  derive({ metrics: { output_tok_s }, system: { gpuCount } }) {
    if (output_tok_s === undefined || gpuCount === null) return null;
    return { metric: 'output_tok_s_per_gpu', value: output_tok_s / gpuCount };
  },
};
