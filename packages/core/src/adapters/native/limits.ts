import { findSloPreset, presetLimits, sloPresets } from '../../catalogue/index.ts';
import type { Limits } from '../../records.ts';
import type { Report } from './metrics.ts';

const fields = new Map<string, keyof Limits>([
  ['ttft_ms', 'ttftMs'],
  ['itl_ms', 'itlMs'],
  ['tpot_ms', 'tpotMs'],
  ['e2e_ms', 'e2eMs'],
]);

/** Reads `slo`: limits by name in ms, or the id of a preset of the catalogue. Null if there is none. */
export function readLimits(value: unknown, at: readonly PropertyKey[], report: Report): Limits | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') {
    const preset = findSloPreset(value);
    if (preset !== null) return presetLimits(preset);
    const ids = sloPresets.map(({ id }) => id);
    const message = `Unknown preset of limits ${JSON.stringify(value.slice(0, 80))}.`;
    report(at, 'slo_unknown', message, report.nearest(value, ids));
    return null;
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    report(at, 'value_invalid', 'slo must be an object of limits in ms, or the name of a preset.');
    return null;
  }
  const limits: Limits = { ttftMs: null, itlMs: null, tpotMs: null, e2eMs: null };
  for (const [key, limit] of Object.entries(value) as [string, unknown][]) {
    if (report.isFull()) break;
    const field = fields.get(key);
    if (field === undefined) {
      const message = `Unknown field ${JSON.stringify(key.slice(0, 80))}.`;
      report([...at, key], 'field_unknown', message, report.nearest(key, [...fields.keys()]));
    } else if (typeof limit === 'number' && limit > 0 && Number.isFinite(limit)) limits[field] = limit;
    else if (limit !== null) report([...at, key], 'value_invalid', `${key} must be a number of milliseconds above 0.`);
  }
  return Object.values(limits).every((limit) => limit === null) ? null : limits;
}
