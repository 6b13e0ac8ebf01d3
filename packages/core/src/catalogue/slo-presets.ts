import type { Limits } from '../records.ts';
import { indexById, type SloPreset, sloPresets } from './records.ts';

const byId = indexById(sloPresets);

/** Returns the latency limits of a preset id such as "mlperf-llama3.1-8b-interactive". */
export function findSloPreset(id: string): SloPreset | null {
  return byId.get(id) ?? null;
}

/** Converts the percentile limits of a preset to limits for each request. */
export function presetLimits({ p99TtftMs, p99TpotMs }: SloPreset): Limits {
  return { ttftMs: p99TtftMs, itlMs: null, tpotMs: p99TpotMs, e2eMs: null };
}
