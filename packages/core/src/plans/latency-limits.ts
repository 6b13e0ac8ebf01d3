const limitMetrics = ['ttft', 'tpot', 'itl', 'e2e'] as const;
const limitStatistics = ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const;

/** A latency that a server has to stay below, such as `ttft_p99<2000`. */
export interface LatencyLimit {
  metric: (typeof limitMetrics)[number];
  statistic: (typeof limitStatistics)[number];
  ms: number;
}

const pattern = /^([a-z0-9]+?)(?:_ms)?_([a-z0-9]+)\s*<=?\s*([0-9.]+)$/;

function readLimit(text: string): LatencyLimit {
  const [, name, of, number] = pattern.exec(text.trim()) ?? [];
  const metric = limitMetrics.find((known) => known === name);
  const statistic = limitStatistics.find((known) => known === of);
  const ms = Number(number);
  if (metric !== undefined && statistic !== undefined && ms > 0) return { metric, statistic, ms };
  throw new RangeError(
    `"${text.trim()}" is not a limit. Write METRIC_STATISTIC<MILLISECONDS, such as ttft_p99<2000. ` +
      `Metrics: ${limitMetrics.join(', ')}. Statistics: ${limitStatistics.join(', ')}.`,
  );
}

/**
 * Reads limits such as `ttft_p99<2000,tpot_p99<50`.
 *
 * @throws RangeError on text that is not a list of limits
 */
export function readLimits(text: string): LatencyLimit[] {
  return text.split(',').map(readLimit);
}

/** `ttft_p99<2000`. */
export const formatLimit = ({ metric, statistic, ms }: LatencyLimit): string => `${metric}_${statistic}<${ms}`;
