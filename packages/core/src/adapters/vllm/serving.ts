import { figure } from '../../checks/check.ts';
import type { KnownLoad } from '../../load.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { ReaderNote } from '../adapter.ts';

/** Protocols of the client that also name an engine. The `openai` ones say nothing about the server. */
const engines = new Set(['vllm', 'sglang', 'tgi', 'tensorrt-llm', 'lmdeploy', 'llama.cpp']);

/** The engine that a client's protocol hints at; null where any server may have spoken it. */
export function toEngine(backend: string | null): string | null {
  return backend !== null && engines.has(backend) ? backend : null;
}

/** The features of a server that drafts tokens, from the counters that only such a one has. */
export function speculation(extra: Record<string, number>): Record<string, boolean | number> {
  const { drafts, draft_tokens: drafted } = extra;
  if (drafts === undefined && extra.acceptance_length === undefined) return {};
  const perDraft = drafts !== undefined && drafted !== undefined && drafts > 0 ? drafted / drafts : Number.NaN;
  return { speculative_decoding: true, ...(Number.isSafeInteger(perDraft) ? { draft_tokens: perDraft } : {}) };
}

/** The formulas of vLLM's serving benchmark, for the latencies that are there. */
export function toDefinitions(names: Iterable<MetricName>): Record<string, string> {
  const known: [string, string][] = [
    ['ttft_ms', 'send_to_first_token'],
    ['tpot_ms', 'without_first_token'],
    ['itl_ms', 'per_chunk'],
    ['e2e_ms', 'request'],
  ];
  const all = [...names];
  return Object.fromEntries(known.filter(([base]) => all.some((name) => name.startsWith(`${base}_`))));
}

/** What was asked of the client. Undefined: not said; null: said to be none or unlimited. */
export interface Asked {
  rate: number | null | undefined;
  cap: number | null | undefined;
  burstiness: number | null;
  /** Requests sent; 0 where nobody tells. */
  sent: number;
}

/** Below this share of the asked rate, and above this share of the cap in flight, the cap and not the rate made the load. */
const rateShare = 0.9;
const capShare = 0.8;

/** Requests in flight on average: rate times latency. Null where the figures do not tell. */
function inFlight(metrics: ReadonlyMap<MetricName, number>): number | null {
  const get = (name: MetricName) => metrics.get(name) ?? Number.NaN;
  const perAnswer = get('output_tokens') / get('requests_ok');
  const latencyMs = metrics.get('e2e_ms_mean') ?? get('ttft_ms_mean') + get('tpot_ms_mean') * (perAnswer - 1);
  const average = (get('req_s') * latencyMs) / 1000;
  return Number.isFinite(average) ? average : null;
}

/**
 * How the requests were sent. A cap below the number of requests with no rate is a closed loop; no cap, or one that never
 * bound, is a burst of all of them; a finite rate is an open loop, unless its cap was full all the time and the rate never
 * reached. Null where nothing tells.
 */
export function toServingLoad(
  { rate, cap, burstiness, sent }: Asked,
  metrics: ReadonlyMap<MetricName, number>,
): { load: KnownLoad | null; notes: ReaderNote[] } {
  if (rate === undefined || (rate !== null && rate <= 0)) return { load: null, notes: [] };
  if (rate === null) {
    if (cap === undefined) return { load: null, notes: [] };
    if (cap !== null && cap > 0 && (sent === 0 || cap < sent))
      return { load: { mode: 'concurrency', level: cap }, notes: [] };
    return { load: sent > 0 ? { mode: 'burst', level: sent } : null, notes: [] };
  }
  const reached = metrics.get('req_s');
  const flying = inFlight(metrics);
  if (
    cap != null &&
    reached !== undefined &&
    flying !== null &&
    reached < rateShare * rate &&
    flying >= capShare * cap
  ) {
    const message = `${figure(rate)} requests a second were asked for and ${figure(reached)} reached, with ${flying.toFixed(1)} of at most ${cap} in flight: the cap made the load, a closed loop.`;
    const evidence = { request_rate: rate, req_s: reached, in_flight: flying, max_concurrency: cap };
    return {
      load: { mode: 'concurrency', level: cap },
      notes: [{ code: 'rate_not_reached', severity: 'info', message, evidence }],
    };
  }
  return { load: { mode: 'rate', level: rate, burstiness, maxConcurrency: cap ?? null }, notes: [] };
}

export const loadUnknown = (evidence: Record<string, unknown> = {}, message?: string): ReaderNote => ({
  code: 'load_unknown',
  severity: 'warning',
  message: message ?? 'Neither the block nor the log before it tells how the requests were sent.',
  evidence,
});

/**
 * Takes out the latencies whose mean, or whatever stands for it, is zero beside others that are not: an endpoint that does
 * not stream has no first token and no gaps. `families` tells the base of each latency. Returns the bases taken out.
 */
export function dropZeroFamilies(
  metrics: Map<MetricName, number>,
  families: ReadonlyMap<MetricName, string>,
): Set<string> {
  const zero = new Set<string>();
  for (const [name, family] of families) {
    const isTelling = name.endsWith('_mean') || !metrics.has(`${family}_mean` as MetricName); // bases come from the registry
    if (isTelling && metrics.get(name) === 0 && !name.endsWith('_sd') && !name.endsWith('_min')) zero.add(family);
  }
  for (const [name, family] of families) if (zero.has(family)) metrics.delete(name);
  return zero;
}

export const zeroIsMissing = (family: string): ReaderNote => ({
  code: 'zero_is_missing',
  severity: 'info',
  message: `${family} is printed as 0, so it was not measured: nothing was streamed, or answers had one token.`,
  evidence: { metric: family },
});
