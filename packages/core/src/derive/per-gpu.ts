import type { Derivation } from './derivation.ts';

/** output_tok_s / GPUs used. */
export const perGpu: Derivation = {
  metric: 'output_tok_s_per_gpu',
  derive({ result }) {
    const { output_tok_s } = result.metrics;
    const { gpuCount } = result.system;
    if (output_tok_s === undefined || gpuCount === null) return null;
    return { metric: 'output_tok_s_per_gpu', value: output_tok_s / gpuCount };
  },
};
