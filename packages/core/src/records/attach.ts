import type { Metrics } from '../adapters/adapter.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';
import type { RecomputedFigure, RequestRecord } from '../records.ts';
import type { Result } from '../subjects/result.ts';
import { recompute } from './recompute.ts';

/** Measured by a separate meter, so request records do not contain it. */
const unrelated = new Set<string>(['power_w']);

const baseOf = (name: string) => findMetric(name)?.family.base ?? name;

/** Maximum effect of a tool's interpolation and rounding on a percentile. */
const tolerance = 0.005;

/** True if a stated percentile has too few samples to be recomputed, but matches the records. */
function isBorneOut(name: string, stated: number, figures: readonly RecomputedFigure[]): boolean {
  const ours = figures.find((figure) => figure.name === name);
  if (ours === undefined || ours.value !== null || !/_p\d+$/.test(name)) return false;
  return stated >= ours.low * (1 - tolerance) && stated <= ours.high * (1 + tolerance);
}

/**
 * Replaces stated figures with recomputed ones. A latency in the records is replaced completely, so that its statistics all
 * have one formula. A percentile with too few samples stays as stated if it matches the records. The per-user speed is then
 * derived.
 */
function replace(stated: Metrics, figures: readonly RecomputedFigure[]): Metrics {
  const latencies = new Set(figures.map(({ name }) => baseOf(name)).filter((base) => base.endsWith('_ms')));
  if (latencies.has('tpot_ms')) latencies.add('user_tok_s');
  const kept = Object.entries(stated).filter(
    ([name, value]) => !latencies.has(baseOf(name)) || isBorneOut(name, value, figures),
  );
  const ours = figures.flatMap(({ name, value }): [string, number][] => (value === null ? [] : [[name, value]]));
  return Object.fromEntries([...kept, ...ours]);
}

/** Adds request records to a result and recomputes every figure that they contain. */
export function withRecords<R extends Pick<Result, 'metrics' | 'definitions' | 'limits'>>(
  result: R,
  requests: readonly RequestRecord[],
): R & Pick<Result, 'metrics' | 'definitions' | 'records'> {
  const { metrics: stated, definitions: statedDefinitions, limits } = result;
  const { figures, definitions, certificates } = recompute(requests, limits, stated);
  return {
    ...result,
    metrics: replace(stated, figures),
    definitions: { ...statedDefinitions, ...definitions },
    records: { requests, stated, statedDefinitions, figures, certificates },
  };
}

/** Returns latencies and rates of a result with records that still have the artifact's stated values. */
export function statedOnly({ metrics, records }: Result): MetricName[] {
  if (records === null) return [];
  // A percentile with a certificate comes from the records, even if it is not proven.
  const isOurs = ({ name, value }: RecomputedFigure) => value !== null || records.certificates[name] !== undefined;
  const ours = new Set(records.figures.filter(isOurs).map(({ name }) => name));
  return (Object.keys(metrics) as MetricName[]).filter((name) => {
    const family = findMetric(name)?.family;
    return family !== undefined && family.direction !== 'neutral' && !unrelated.has(family.base) && !ours.has(name);
  });
}

/**
 * True if the ranked figures of a result come from its records: at least one latency does, and no latency or rate is only
 * stated. Records of times to first token do not prove a throughput.
 */
export function isRecomputed(result: Result): boolean {
  const { records } = result;
  return records !== null && Object.keys(records.certificates).length > 0 && statedOnly(result).length === 0;
}
