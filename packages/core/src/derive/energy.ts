import { findGpu } from '../catalogue/index.ts';
import type { Result } from '../subjects/result.ts';
import type { Derivation } from './derivation.ts';

/** Output tokens per second of all work that drew the power. A test without a prompt only decodes. */
function outputRate({ metrics, scenario }: Result): number | undefined {
  return metrics.output_tok_s ?? (scenario.inputTokens === 0 ? metrics.decode_tok_s : undefined);
}

/**
 * Output tokens per joule: rate / watts. Uses the measured power, else the power limit of all GPUs, else their rated power.
 * The definition names the source.
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

/** Watt-hours per million tokens at a rate in tok/s and a power in watts. */
export function wattHoursPerMtok(tokS: number, watts: number): number {
  return ((watts / tokS) * 1e6) / 3600;
}
