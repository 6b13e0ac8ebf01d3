import type { Metrics, Ranges, ResultKind } from '../adapter.ts';
import { type Report, toMetric } from './metrics.ts';
import type { NativeResult } from './schema.ts';

const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

function toRange(value: unknown): [number, number] | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [low, high]: unknown[] = value;
  return isFigure(low) && isFigure(high) && low < high ? [low, high] : null;
}

/**
 * Reads `ranges`: [lowest, highest] of metrics without an exact value. A metric has a value or a range, not both, because
 * the middle of a range was not measured.
 */
export function readRanges(
  result: NativeResult,
  metrics: Metrics,
  kind: ResultKind,
  at: readonly PropertyKey[],
  report: Report,
): Ranges {
  const ranges: Ranges = {};
  for (const [key, value] of Object.entries(result.ranges ?? {})) {
    if (report.isFull()) break;
    const path = [...at, 'ranges', key];
    const name = toMetric(key, kind, path, report)?.name;
    if (name === undefined) continue;
    const range = toRange(value);
    if (range === null) {
      const message = `The range of ${name} must be [lowest, highest], two numbers of 0 or more that differ.`;
      report(path, 'value_invalid', message, 'Put a single value in metrics.');
    } else if (metrics[name] !== undefined) {
      report(path, 'value_repeated', `${name} has a value in metrics and a range.`, 'State one of them.');
    } else ranges[name] = range;
  }
  return ranges;
}
