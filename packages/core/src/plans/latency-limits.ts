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

/** Limits on single requests, in ms, in the words of the native format's `slo`. */
export type RequestLimits = Partial<Record<'ttft_ms' | 'itl_ms' | 'tpot_ms' | 'e2e_ms', number>>;

const requestPattern = /^([a-z0-9]+?)(?:_ms)?\s*<=?\s*([0-9.]+)$/;

function readRequestLimit(text: string): Pick<LatencyLimit, 'metric' | 'ms'> {
  const [, name, number] = requestPattern.exec(text.trim()) ?? [];
  const metric = limitMetrics.find((known) => known === name);
  const ms = Number(number);
  if (metric !== undefined && ms > 0 && Number.isFinite(ms)) return { metric, ms };
  throw new RangeError(
    `"${text.trim()}" is not a limit of a request. Write METRIC<MILLISECONDS, such as ttft<500. ` +
      `Metrics: ${limitMetrics.join(', ')}.`,
  );
}

/** What the limits ask of a single request: the lowest of each metric over all statistics. */
export function requestLimitsOf(limits: readonly Pick<LatencyLimit, 'metric' | 'ms'>[]): RequestLimits {
  const least: RequestLimits = {};
  for (const { metric, ms } of limits) least[`${metric}_ms`] = Math.min(ms, least[`${metric}_ms`] ?? ms);
  return least;
}

/**
 * Reads limits on single requests such as `ttft<500,tpot<30`.
 *
 * @throws RangeError on text that is not a list of them
 */
export function readRequestLimits(text: string): RequestLimits {
  return requestLimitsOf(text.split(',').map(readRequestLimit));
}

/** `ttft_p99<2000`. */
export const formatLimit = ({ metric, statistic, ms }: LatencyLimit): string => `${metric}_${statistic}<${ms}`;
