import type { Metrics } from '../adapters/adapter.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';
import type { RecomputedFigure, RequestRecord } from '../records.ts';
import type { Result } from '../result.ts';
import { recompute } from './recompute.ts';

/** Measured beside the requests, by a meter: no record of a request can tell it. */
const unrelated = new Set<string>(['power_w']);

const baseOf = (name: string) => findMetric(name)?.family.base ?? name;

/** Interpolation and rounding of a tool move a percentile no further. */
const tolerance = 0.005;

/** A percentile that too few samples carry to be ours, and that the records bear out as the tool states it. */
function isBorneOut(name: string, stated: number, figures: readonly RecomputedFigure[]): boolean {
  const ours = figures.find((figure) => figure.name === name);
  if (ours === undefined || ours.value !== null || !/_p\d+$/.test(name)) return false;
  return stated >= ours.low * (1 - tolerance) && stated <= ours.high * (1 + tolerance);
}

/**
 * The stated figures with ours in their place. A latency that records tell is wholly ours: beside our mean nobody should
 * read a percentile of another formula. A percentile that too few samples carry stays as stated where they bear it out. The
 * per-user speed then follows from it.
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

/** A result with the records of its requests: every figure that they tell is recomputed from them. */
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

/** Latencies and rates that a result with records still carries as its artifact states them. */
export function statedOnly({ metrics, records }: Result): MetricName[] {
  if (records === null) return [];
  // A percentile without a certificate is what the records give, if not proven.
  const isOurs = ({ name, value }: RecomputedFigure) => value !== null || records.certificates[name] !== undefined;
  const ours = new Set(records.figures.filter(isOurs).map(({ name }) => name));
  return (Object.keys(metrics) as MetricName[]).filter((name) => {
    const family = findMetric(name)?.family;
    return family !== undefined && family.direction !== 'neutral' && !unrelated.has(family.base) && !ours.has(name);
  });
}

/**
 * True where the figures that a result is ranked by come from its records: some latency does, and none of the latencies
 * and rates is merely stated. Records of times to first token are no proof of a throughput.
 */
export function isRecomputed(result: Result): boolean {
  const { records } = result;
  return records !== null && Object.keys(records.certificates).length > 0 && statedOnly(result).length === 0;
}
