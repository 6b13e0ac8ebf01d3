import type { MetricName } from '../metrics/index.ts';
import type { StatedResult } from './figures.ts';

/** By which a stored candidate is found: throughputs, and what one request sees of it. */
const anchorMetrics = [
  ['output_tok_s', 'total_tok_s', 'req_s', 'input_tok_s', 'decode_tok_s', 'forward_ms', 'wall_s'],
  ['ttft_ms_mean', 'tpot_ms_mean', 'prefill_tok_s', 'e2e_ms_mean', 'itl_ms_mean', 'user_tok_s', 'backward_ms'],
] as const satisfies MetricName[][];

/** A figure to find a stored result by. */
export interface Anchor {
  metric: MetricName;
  value: number;
}

const anchorsIn = (names: readonly MetricName[], { metrics }: Pick<StatedResult, 'metrics'>): Anchor[] =>
  names.flatMap((metric) => {
    const value = metrics[metric];
    return value === undefined || !(value > 0) ? [] : [{ metric, value }];
  });

/**
 * Up to two figures to store a result under: a throughput and a latency where it has both. A copy is looked up by every
 * one of `lookupsOf`, so it has to leave out both to be missed.
 */
export function anchorsOf(result: Pick<StatedResult, 'metrics'>): Anchor[] {
  const [rates = [], latencies = []] = anchorMetrics.map((names) => anchorsIn(names, result));
  return [...rates.slice(0, latencies.length === 0 ? 2 : 1), ...latencies.slice(0, rates.length === 0 ? 2 : 1)];
}

/** Every figure of a result that another may be stored under, and how far a copy may have moved it. */
export function lookupsOf(result: Pick<StatedResult, 'metrics'>): (Anchor & { low: number; high: number })[] {
  return anchorMetrics
    .flatMap((names) => anchorsIn(names, result))
    .map(({ metric, value }) => ({ metric, value, low: value * 0.89, high: value * 1.12 }));
}
