import type { Metrics } from '../adapters/adapter.ts';
import { findMetric, type MetricName } from '../metrics/index.ts';
import type { RecomputedFigure, RequestRecord } from '../records.ts';
import type { Result } from '../result.ts';
import { recompute } from './recompute.ts';

/** Measured beside the requests, by a meter: no record of a request can tell it. */
const unrelated = new Set<string>(['power_w']);

const baseOf = (name: string) => findMetric(name)?.family.base ?? name;

/**
 * The stated figures with ours in their place. A latency that records tell is wholly ours: beside our mean nobody should
 * read a percentile of another formula, or one that too few samples carry. The per-user speed then follows from it.
 */
function replace(stated: Metrics, figures: readonly RecomputedFigure[]): Metrics {
  const latencies = new Set(figures.map(({ name }) => baseOf(name)).filter((base) => base.endsWith('_ms')));
  if (latencies.has('tpot_ms')) latencies.add('user_tok_s');
  const kept = Object.entries(stated).filter(([name]) => !latencies.has(baseOf(name)));
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
  const ours = new Set(records.figures.filter(({ value }) => value !== null).map(({ name }) => name));
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
