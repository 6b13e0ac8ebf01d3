import { findGpu } from '../catalogue/index.ts';
import type { Result } from '../result.ts';
import type { Derivation } from './derivation.ts';

/** Output tokens per second of everything that drew the power; a test without a prompt is nothing but decoding. */
function outputRate({ metrics, scenario }: Result): number | undefined {
  return metrics.output_tok_s ?? (scenario.inputTokens === 0 ? metrics.decode_tok_s : undefined);
}

/**
 * Output tokens per joule: rate / watts. Without a meter the power limit of all GPUs stands in, or their rated power
 * where no limit was stated; the definition says which.
 */
export const energy: Derivation = {
  metric: 'tok_per_joule',
  derive({ result }) {
    const { gpuCount, gpuPowerLimitW, gpu } = result.system;
    const rate = outputRate(result);
    const rated = gpu.id === null ? null : (findGpu(gpu.id)?.tdpW ?? null);
    const watts = gpuPowerLimitW ?? rated;
    if (rate === undefined || gpuCount === null || watts === null) return null;
    const id = gpuPowerLimitW === null ? 'at_tdp' : 'at_power_limit';
    return {
      metric: 'tok_per_joule',
      value: rate / (watts * gpuCount),
      definition: { base: 'tok_per_joule', id },
    };
  },
};
