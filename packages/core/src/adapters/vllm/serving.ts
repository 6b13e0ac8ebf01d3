import { figure } from '../../checks/check.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import type { ReaderNote } from '../adapter.ts';

/** Client protocols that also name an engine. The `openai` ones do not identify the server. */
const engines = new Set(['vllm', 'sglang', 'tgi', 'tensorrt-llm', 'lmdeploy', 'llama.cpp']);

/** The engine that a client's protocol suggests; null if any server supports the protocol. */
export function toEngine(backend: string | null): string | null {
  return backend !== null && engines.has(backend) ? backend : null;
}

/** The features of a server with speculative decoding, from counters that only such a server has. */
export function speculation(extra: Record<string, number>): Record<string, boolean | number> {
  const { drafts, draft_tokens: drafted } = extra;
  if (drafts === undefined && extra.acceptance_length === undefined) return {};
  const perDraft = drafts !== undefined && drafted !== undefined && drafts > 0 ? drafted / drafts : Number.NaN;
  return { speculative_decoding: true, ...(Number.isSafeInteger(perDraft) ? { draft_tokens: perDraft } : {}) };
}

/** The formulas of vLLM's serving benchmark, for the latencies that are present. */
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

/** The requested load. Undefined: not stated; null: stated as none or unlimited. */
export interface Asked {
  rate: number | null | undefined;
  cap: number | null | undefined;
  burstiness: number | null;
  /** Number of sent requests; 0 if unknown. */
  sent: number;
}

/**
 * Below `rateShare` of the requested rate and above `capShare` of the cap in flight, the cap determined the load, not the
 * rate.
 */
const rateShare = 0.9;
const capShare = 0.8;

/** Mean number of requests in flight: rate times latency. Null if the figures are missing. */
function inFlight(metrics: ReadonlyMap<MetricName, number>): number | null {
  const get = (name: MetricName) => metrics.get(name) ?? Number.NaN;
  const perAnswer = get('output_tokens') / get('requests_ok');
  const latencyMs = metrics.get('e2e_ms_mean') ?? get('ttft_ms_mean') + get('tpot_ms_mean') * (perAnswer - 1);
  const average = (get('req_s') * latencyMs) / 1000;
  return Number.isFinite(average) ? average : null;
}

/**
 * How the requests were sent. A cap below the number of requests without a rate is a closed loop. No cap, or one that was
 * never reached, is a burst of all requests. A finite rate is an open loop, unless its cap was always full and the rate was
 * never reached. Null if unknown.
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
    const message = `${figure(rate)} requests per second were requested and ${figure(reached)} reached, with ${flying.toFixed(1)} of at most ${cap} in flight: the cap determined the load, so it is a closed loop.`;
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
  message: message ?? 'Neither the block nor the log before it states how the requests were sent.',
  evidence,
});

export const zeroIsMissing = (family: string): ReaderNote => ({
  code: 'zero_is_missing',
  severity: 'info',
  message: `${family} is printed as 0, so it was not measured: nothing was streamed, or responses had one token.`,
  evidence: { metric: family },
});

/** Latencies that need the time of the first token. */
const ofFirstToken = new Set(['ttft_ms', 'tpot_ms']);

/**
 * Removes the latencies whose mean, or its substitute, is zero while others are not: an endpoint that does not stream has no
 * first token and no gaps. If only the median TTFT is zero, the client recorded no first token for half of the responses: TTFT
 * and TPOT are wrong for those. `families` returns the base of each latency. Returns a note for each removed base.
 */
export function dropZeroFamilies(
  metrics: Map<MetricName, number>,
  families: ReadonlyMap<MetricName, string>,
): ReaderNote[] {
  const zero = new Map<string, ReaderNote>();
  for (const [name, family] of families) {
    const isTelling = name.endsWith('_mean') || !metrics.has(`${family}_mean` as MetricName); // bases come from the registry
    if (isTelling && metrics.get(name) === 0 && !name.endsWith('_sd') && !name.endsWith('_min'))
      zero.set(family, zeroIsMissing(family));
  }
  const mean = metrics.get('ttft_ms_mean') ?? 0;
  if (metrics.get('ttft_ms_p50') === 0 && mean > 0) {
    for (const family of new Set(families.values())) {
      if (zero.has(family) || !ofFirstToken.has(family)) continue;
      const message = `${family} is omitted: the median TTFT is printed as 0 with a mean of ${mean} ms, so the client recorded no first token for at least half of the responses.`;
      zero.set(family, { code: 'first_token_missing', severity: 'warning', message, evidence: { ttft_ms_mean: mean } });
    }
  }
  for (const [name, family] of families) if (zero.has(family)) metrics.delete(name);
  return [...zero.values()];
}
