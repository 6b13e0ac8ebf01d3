import type { Definitions, Metrics } from '../../adapters/adapter.ts';
import { type MetricName, metricFamilies } from '../../metrics/index.ts';
import { type LatencyStatistic, latencyStatistics, type MetricFamily } from '../../metrics/metric.ts';
import type { Result } from '../../subjects/result.ts';
import { type Doubt, figure, roundingOf } from '../check.ts';
import { brokenBounds, type Range } from '../ratio.ts';

/** A latency with statistics, and the metric names of its values. */
export interface Distribution {
  family: MetricFamily;
  names: Record<LatencyStatistic, MetricName>;
}

/** Every metric that has statistics, in registry order. */
export const distributions: readonly Distribution[] = metricFamilies
  .filter((family: MetricFamily) => family.statistics !== null)
  .map((family: MetricFamily) => {
    const names = latencyStatistics.map((statistic) => [statistic, `${family.base}_${statistic}`]);
    // Every family with statistics has those of latencies, so these names exist in the registry.
    return { family, names: Object.fromEntries(names) as Distribution['names'] };
  });

/** Clients that measure in seconds print two decimals, so a latency that is a multiple of 10 ms may be off by 5 ms. */
const secondsRoundingMs = 5;

/** The range of possible values before rounding to the written digits. */
export function rangeOf(value: number, rounding = roundingOf(value)): Range {
  return { low: Math.max(0, value - rounding), high: value + rounding };
}

/** The same range for the latency of a whole request in ms, which may have been printed in seconds. */
export function latencyRange(valueMs: number): Range {
  const rounding = roundingOf(valueMs);
  return rangeOf(valueMs, valueMs % 10 === 0 ? Math.max(rounding, secondsRoundingMs) : rounding);
}

/** Returns the allowed relative difference between figures: the larger of the rule's own and the tool's tolerance. */
export function toleranceOf({ tolerance }: Result, own: number): number {
  return Math.max(own, tolerance?.share ?? 0);
}

const product = (a: Range, b: Range): Range => ({ low: a.low * b.low, high: a.high * b.high });

const scaled = ({ low, high }: Range, factor: number): Range => ({ low: low * factor, high: high * factor });

const added = (a: Range, b: Range): Range => ({ low: a.low + b.low, high: a.high + b.high });

/** True if latencies are per request, measured from sending. Every identity between latencies requires this. */
export function isPerRequest({ definitions, load }: Result): boolean {
  const isBatch = load.mode === 'batch';
  const e2e = definitions.e2e_ms ?? (isBatch ? 'whole_batch' : 'request');
  const ttft = definitions.ttft_ms ?? (isBatch ? 'last_of_batch' : 'send_to_first_token');
  return e2e === 'request' && ttft === 'send_to_first_token';
}

/** True if a mean TPOT excludes the first token. */
export function leavesFirstOut({ tpot_ms: id }: Definitions): boolean {
  return id === undefined || id === 'without_first_token';
}

/** Returns the counted mean tokens per response; null if a count is missing or no request succeeded. */
export function meanAnswer({ output_tokens: tokens, requests_ok: ok }: Metrics): number | null {
  return tokens === undefined || ok === undefined || ok === 0 ? null : tokens / ok;
}

/** A mean end-to-end latency in ms and its parts: TTFT plus one step per token after the first. */
export interface Parts {
  statedMs: number;
  ttftMs: number;
  stepMs: number;
  tokens: number;
}

/** ttft + (tokens - 1) x step in ms, as a range that includes the rounding of both. */
export function sumOfParts({ ttftMs, stepMs, tokens }: Omit<Parts, 'statedMs'>): Range {
  return added(latencyRange(ttftMs), scaled(rangeOf(stepMs), tokens - 1));
}

/** Returns one violation if the latency is not the sum of its parts. `steps` names the steps, for example "gaps". */
export function checkParts(parts: Parts, tolerance: number, steps: string): Doubt[] {
  const { statedMs, ttftMs, stepMs, tokens } = parts;
  const broken = brokenBounds(statedMs, sumOfParts(parts), tolerance, latencyRange(statedMs).high - statedMs);
  if (broken === null) return [];
  const expected = ttftMs + (tokens - 1) * stepMs;
  return [
    {
      severity: 'violation',
      message:
        `A latency of ${figure(statedMs)} ms is stated, but ${figure(ttftMs)} ms to the first token and ` +
        `${figure(tokens - 1)} ${steps} of ${figure(stepMs)} ms equal ${figure(expected)} ms.`,
      evidence: { stated: statedMs, expected, ...broken, ttft_ms: ttftMs, step_ms: stepMs, tokens },
    },
  ];
}

/** Returns completed requests per second: counted over the window, else as stated. Null if neither is known. */
export function requestRate({ requests_ok: ok, duration_s: seconds, req_s }: Metrics): Range | null {
  if (ok !== undefined && seconds !== undefined) {
    const { low, high } = rangeOf(seconds);
    return { low: ok / high, high: ok / Math.max(low, Number.MIN_VALUE) };
  }
  return req_s === undefined ? null : rangeOf(req_s);
}

/** The middle of a range, for sentences about a figure of which only the range is known. */
export const middleOf = ({ low, high }: Range) => (low + high) / 2;

export interface InFlight {
  /** Requests in flight on average. */
  range: Range;
  /** False if the range is only a lower bound of the latency. */
  isWhole: boolean;
}

/** Relative tolerance of a mean latency derived from gaps of single tokens. */
const gapsTolerance = 0.02;

/**
 * Average requests in flight by Little's law: requests per second x mean end-to-end latency. Without that latency, TTFT plus
 * the gaps gives it if every gap is one token. Otherwise TTFT alone is a lower bound. Gaps of chunks and time per token are
 * not used. Null if no rate or no latency is known.
 */
export function inFlight(result: Result): InFlight | null {
  const { metrics, definitions } = result;
  const { e2e_ms_mean: e2eMs, ttft_ms_mean: ttftMs, itl_ms_mean: stepMs } = metrics;
  const rate = isPerRequest(result) ? requestRate(metrics) : null;
  if (rate === null) return null;
  const perSecond = scaled(rate, 1 / 1000);
  if (e2eMs !== undefined) return { range: product(perSecond, latencyRange(e2eMs)), isWhole: true };
  if (ttftMs === undefined) return null;
  const tokens = meanAnswer(metrics);
  if (stepMs === undefined || tokens === null || tokens < 1 || definitions.itl_ms !== 'per_token')
    return { range: product(perSecond, latencyRange(ttftMs)), isWhole: false };
  const { low, high } = sumOfParts({ ttftMs, stepMs, tokens });
  const e2e = { low: low * (1 - gapsTolerance), high: high * (1 + gapsTolerance) };
  return { range: product(perSecond, e2e), isWhole: true };
}

/** Names of the figures that are missing. */
export function missingOf(values: Partial<Record<string, number | null>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined || value === null ? [name] : []));
}
