import { findGpu } from '../catalogue/index.ts';
import type { Result } from '../result.ts';
import type { Derivation } from './derivation.ts';

/** Output tokens per second of everything that drew the power; a test without a prompt is nothing but decoding. */
function outputRate({ metrics, scenario }: Result): number | undefined {
  return metrics.output_tok_s ?? (scenario.inputTokens === 0 ? metrics.decode_tok_s : undefined);
}

/**
 * Output tokens per joule: rate / watts. The power that was drawn, where it was measured; else the power limit of all GPUs
 * stands in, or their rated power where no limit was stated. The definition says which.
 */
export const energy: Derivation = {
  metric: 'tok_per_joule',
  derive({ result }) {
    const { gpuCount, gpuPowerLimitW } = result.system;
    const rate = outputRate(result);
    if (rate === undefined) return null;
    const made = (watts: number, id: string) => ({
      metric: 'tok_per_joule' as const,
      value: rate / watts,
      definition: { base: 'tok_per_joule', id },
    });
    const drawn = result.metrics.power_w;
    if (drawn !== undefined && drawn > 0) return made(drawn, 'measured');
    if (gpuCount === null) return null;
    if (gpuPowerLimitW !== null) return made(gpuPowerLimitW * gpuCount, 'at_power_limit');
    const { id } = result.system.gpu;
    const rated = id === null ? null : (findGpu(id)?.tdpW ?? null);
    return rated === null ? null : made(rated * gpuCount, 'at_tdp');
  },
};

/** Watt-hours per million tokens at so many tok/s and watts. */
export function wattHoursPerMtok(tokS: number, watts: number): number {
  return ((watts / tokS) * 1e6) / 3600;
}
