import type { Definitions, Metrics } from '../adapters/adapter.ts';
import { type MetricName, metricFamilies } from '../metrics/index.ts';
import { type LatencyStatistic, latencyStatistics, type MetricFamily } from '../metrics/metric.ts';
import type { Result } from '../result.ts';
import { type Doubt, figure, roundingOf } from './check.ts';
import { brokenBounds, type Range } from './ratio.ts';

/** A latency, which has statistics, and the names of their values. */
export interface Distribution {
  family: MetricFamily;
  names: Record<LatencyStatistic, MetricName>;
}

/** Every metric that has statistics, in registry order. */
export const distributions: readonly Distribution[] = metricFamilies
  .filter((family: MetricFamily) => family.statistics !== null)
  .map((family: MetricFamily) => {
    const names = latencyStatistics.map((statistic) => [statistic, `${family.base}_${statistic}`]);
    // Every family with statistics has those of latencies, so these names are the registry's.
    return { family, names: Object.fromEntries(names) as Distribution['names'] };
  });

/** Clients that count in seconds print two decimals: a latency of whole 10 ms may be 5 ms off. */
const secondsRoundingMs = 5;

/** Where a figure may have been before it was written with the digits it has. */
export function rangeOf(value: number, rounding = roundingOf(value)): Range {
  return { low: Math.max(0, value - rounding), high: value + rounding };
}

/** The same of a latency of a whole request in ms, which may have been seconds. */
export function latencyRange(valueMs: number): Range {
  const rounding = roundingOf(valueMs);
  return rangeOf(valueMs, valueMs % 10 === 0 ? Math.max(rounding, secondsRoundingMs) : rounding);
}

/** How far figures may miss each other: the rule's own share, or that of the tool where it is wider. */
export function toleranceOf({ tolerance }: Result, own: number): number {
  return Math.max(own, tolerance?.share ?? 0);
}

const product = (a: Range, b: Range): Range => ({ low: a.low * b.low, high: a.high * b.high });

const scaled = ({ low, high }: Range, factor: number): Range => ({ low: low * factor, high: high * factor });

const added = (a: Range, b: Range): Range => ({ low: a.low + b.low, high: a.high + b.high });

/** True where latencies are of single requests from sending them on, as every identity between them assumes. */
export function isPerRequest({ definitions, load }: Result): boolean {
  const isBatch = load.mode === 'batch';
  const e2e = definitions.e2e_ms ?? (isBatch ? 'whole_batch' : 'request');
  const ttft = definitions.ttft_ms ?? (isBatch ? 'last_of_batch' : 'send_to_first_token');
  return e2e === 'request' && ttft === 'send_to_first_token';
}

/** True where a mean TPOT leaves the first token out. */
export function leavesFirstOut({ tpot_ms: id }: Definitions): boolean {
  return id === undefined || id === 'without_first_token';
}

/** Mean tokens of an answer as counted, not as asked for; null where a count is missing or nothing was answered. */
export function meanAnswer({ output_tokens: tokens, requests_ok: ok }: Metrics): number | null {
  return tokens === undefined || ok === undefined || ok === 0 ? null : tokens / ok;
}

/** A mean end-to-end latency in ms and the parts it is made of: TTFT, then a step for every token after the first. */
export interface Parts {
  statedMs: number;
  ttftMs: number;
  stepMs: number;
  tokens: number;
}

/** ttft + (tokens - 1) x step in ms, within the rounding of both as written. */
export function sumOfParts({ ttftMs, stepMs, tokens }: Omit<Parts, 'statedMs'>): Range {
  return added(latencyRange(ttftMs), scaled(rangeOf(stepMs), tokens - 1));
}

/** One violation if the latency is not the sum of its parts. `steps` names them: "gaps". */
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
        `${figure(tokens - 1)} ${steps} of ${figure(stepMs)} ms make ${figure(expected)} ms.`,
      evidence: { stated: statedMs, expected, ...broken, ttft_ms: ttftMs, step_ms: stepMs, tokens },
    },
  ];
}

/** Requests answered per second: counted over the window, else as stated. Null where neither is told. */
export function requestRate({ requests_ok: ok, duration_s: seconds, req_s }: Metrics): Range | null {
  if (ok !== undefined && seconds !== undefined) {
    const { low, high } = rangeOf(seconds);
    return { low: ok / high, high: ok / Math.max(low, Number.MIN_VALUE) };
  }
  return req_s === undefined ? null : rangeOf(req_s);
}

/** A figure of which only the range is known, and the middle of it for sentences. */
export const middleOf = ({ low, high }: Range) => (low + high) / 2;

export interface InFlight {
  /** Requests in flight on average. */
  range: Range;
  /** False where the latency is only known to be at least what the range says. */
  isWhole: boolean;
}

/** Gaps of single tokens tell the mean latency within this share. */
const gapsTolerance = 0.02;

/**
 * Requests in flight on average by Little's law: requests per second x mean end-to-end latency. Without that latency, the
 * first token and the gaps after it tell it where every gap is one token; else TTFT alone, which it is never below. Gaps
 * of chunks and time per token tell nothing certain. Null where no rate or no latency is known.
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
