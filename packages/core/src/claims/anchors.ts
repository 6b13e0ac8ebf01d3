import type { MetricName } from '../metrics/index.ts';
import type { StatedResult } from './figures.ts';

/** Metrics used to look up stored candidates: throughputs and per-request latencies. */
const anchorMetrics = [
  ['output_tok_s', 'total_tok_s', 'req_s', 'input_tok_s', 'decode_tok_s', 'forward_ms', 'wall_s'],
  ['ttft_ms_mean', 'tpot_ms_mean', 'prefill_tok_s', 'e2e_ms_mean', 'itl_ms_mean', 'user_tok_s', 'backward_ms'],
] as const satisfies MetricName[][];

/** A figure to look up a stored result. */
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
 * Returns up to two figures to index a result by: a throughput and a latency if it has both. Look-ups use every figure of
 * `lookupsOf`, so only a copy that omits both is missed.
 */
export function anchorsOf(result: Pick<StatedResult, 'metrics'>): Anchor[] {
  const [rates = [], latencies = []] = anchorMetrics.map((names) => anchorsIn(names, result));
  return [...rates.slice(0, latencies.length === 0 ? 2 : 1), ...latencies.slice(0, rates.length === 0 ? 2 : 1)];
}

/** Returns every figure of a result that may be another's anchor, with the range that a copy may have moved it to. */
export function lookupsOf(result: Pick<StatedResult, 'metrics'>): (Anchor & { low: number; high: number })[] {
  return anchorMetrics
    .flatMap((names) => anchorsIn(names, result))
    .map(({ metric, value }) => ({ metric, value, low: value * 0.89, high: value * 1.12 }));
}
