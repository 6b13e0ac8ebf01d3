import type { Definitions, Metrics } from '../adapters/adapter.ts';
import type { Certificates, Limits, RecomputedFigure, RequestRecord } from '../records.ts';
import { sampleStatistics } from './distribution.ts';
import {
  collect,
  countGood,
  hasGapPerToken,
  latenciesOf,
  type RecordedLatency,
  recordedLatencies,
  succeeded,
  windowOf,
} from './measure.ts';

export interface Recomputed {
  figures: RecomputedFigure[];
  definitions: Definitions;
  certificates: Certificates;
}

/** A client's clock starts slightly before the first request and stops slightly after the last response. */
const clockSlackS = 0.05;

const definitionIds = { ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token', e2e_ms: 'request' } as const;

const exactly = (name: RecomputedFigure['name'], value: number): RecomputedFigure => ({
  name,
  value,
  low: value,
  high: value,
});

function addLatencies(ok: readonly RequestRecord[], base: RecordedLatency, to: Recomputed): void {
  const samples = latenciesOf(ok, base);
  // Responses that arrived in one piece have no visible time between tokens.
  if (samples === null || samples.every((ms) => ms === 0)) return;
  for (const { statistic, certificate, value, low, high } of sampleStatistics(samples)) {
    const name = `${base}_${statistic}` as const;
    to.figures.push({ name, value, low, high });
    if (certificate !== null) to.certificates[name] = certificate;
  }
  to.definitions[base] = base === 'itl_ms' ? (hasGapPerToken(ok) ? 'per_token' : 'per_chunk') : definitionIds[base];
}

/** Totals of a run, keyed by the rate that they give over its duration. */
type Amounts = Partial<Record<'req_s' | 'input_tok_s' | 'output_tok_s' | 'total_tok_s' | 'goodput_req_s', number>>;

function addCounts(ok: readonly RequestRecord[], failed: number, limits: Limits | null, to: Recomputed): Amounts {
  const sum = (tokens: Float64Array | null) => tokens?.reduce((total, count) => total + count, 0);
  const input = sum(collect(ok, ({ inputTokens }) => inputTokens));
  const output = sum(collect(ok, ({ outputTokens }) => outputTokens));
  const good = limits === null ? null : countGood(ok, limits);
  to.figures.push(exactly('requests_ok', ok.length), exactly('requests_failed', failed));
  if (input !== undefined) to.figures.push(exactly('input_tokens', input));
  if (output !== undefined) to.figures.push(exactly('output_tokens', output));
  return {
    req_s: ok.length,
    ...(input === undefined ? {} : { input_tok_s: input }),
    ...(output === undefined ? {} : { output_tok_s: output }),
    ...(input === undefined || output === undefined ? {} : { total_tok_s: input + output }),
    ...(good === null ? {} : { goodput_req_s: good }),
  };
}

function addRates(amounts: Amounts, seconds: number, isWhole: boolean, to: Recomputed): void {
  const longest = isWhole ? seconds + clockSlackS : Number.POSITIVE_INFINITY;
  to.figures.push({ name: 'duration_s', value: isWhole ? seconds : null, low: seconds, high: longest });
  for (const name of ['req_s', 'output_tok_s', 'input_tok_s', 'total_tok_s', 'goodput_req_s'] as const) {
    const amount = amounts[name];
    if (amount === undefined) continue;
    const rate = amount / seconds;
    to.figures.push({ name, value: isWhole ? rate : null, low: amount / longest, high: rate });
  }
}

/**
 * Recomputes all figures that the records of a run contain, with their ranges. A latency or token sum requires its fields in
 * every successful request. A rate requires the send and end times of all requests, including failed ones.
 *
 * Records may omit failed requests. If the artifact states failures, its count is used, and the end times of those requests
 * are unknown. O(n log n) in requests and gaps.
 */
export function recompute(requests: readonly RequestRecord[], limits: Limits | null, stated: Metrics): Recomputed {
  const recomputed: Recomputed = { figures: [], definitions: {}, certificates: {} };
  const ok = succeeded(requests);
  const failed = requests.length - ok.length;
  for (const base of recordedLatencies) addLatencies(ok, base, recomputed);
  const amounts = addCounts(ok, failed, limits, recomputed);
  const lacksFailures = failed === 0 && (stated.requests_failed ?? 0) > 0;
  if (lacksFailures) recomputed.figures = recomputed.figures.filter(({ name }) => name !== 'requests_failed');
  const window = windowOf(requests);
  if (window !== null) addRates(amounts, window.seconds, window.isWhole && !lacksFailures, recomputed);
  return recomputed;
}
