import type { LoadRecord, Outcome, RequestRecord } from './load-record.ts';
import { outcomes } from './load-record.ts';
import { percentileOf, percentilesOf, pooledGaps, positiveMedian } from './percentiles.ts';
import { promptTokens, type Throughput, throughputOf, tokensOf } from './throughput.ts';

/** Of a latency, in ms. */
export interface LatencySummary {
  n: number;
  mean: number;
  /** Sample standard deviation (n - 1); null for one value. */
  sd: number | null;
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  max: number;
}

/** How the output tokens of the `ok` requests were counted. Without usage a chunk counts as a token. */
export type TokenSource = 'usage' | 'chunks' | 'mixed';

export interface LoadSummary {
  /** Requests that were sent or dropped, by how they ended. */
  requests: number;
  by_outcome: Record<Outcome, number>;
  /** Requests sent a second time: see `RequestRecord`. */
  retried: number;
  /** Of `ok` requests only; null where none has one. */
  latencies: {
    /** From sent to the first chunk with text or reasoning. */
    ttft_from_sent: LatencySummary | null;
    /** The same from when the schedule wanted it sent; null in a closed loop. */
    ttft_from_due: LatencySummary | null;
    /** Each gap between successive chunks: where a chunk holds several tokens, not the time of one. Null if all are 0. */
    itl_per_chunk: LatencySummary | null;
    /** (last chunk - first chunk) / (tokens by usage - 1), of two tokens or more. Null if all are 0. */
    tpot_per_token: LatencySummary | null;
    /** From sent to the last chunk. */
    e2e_from_sent: LatencySummary | null;
    e2e_from_due: LatencySummary | null;
  };
  throughput: Throughput | null;
  output_tokens: number;
  prompt_tokens: number | null;
  token_source: TokenSource | null;
  /** `ok` requests whose usage was refused, and those whose usage states fewer tokens than they had chunks. */
  odd_usage: { refused: number; fewer: number };
  /** Chunks by tokens, over `ok` requests with usage: 0.25 if each chunk holds four tokens. */
  chunks_per_token: number | null;
  /** Null if the requests state no maximum, or no request was `ok`. */
  shortfall: {
    asked_tokens: number;
    got_tokens: number;
    /** Requests that got fewer than asked. */
    short_requests: number;
    /** Missing tokens by asked ones. */
    share: number;
  } | null;
  /** Gaps longer than `factor` medians of those that are not 0. */
  stalls: { factor: number; threshold_ms: number; gaps: number; requests: number } | null;
  /** What the server reports from its prefix cache; null if it does not report it. */
  cache: { requests: number; cached_tokens: number; share: number; is_suspected: boolean } | null;
  /** What went into requests that were not `ok`. */
  lost: { requests: number; chunks: number; time_ms: number };
  /** Null in a closed loop. */
  arrival: {
    /** From due to sent, in ms; the wait for a cap included. */
    lateness_ms_p50: number;
    lateness_ms_p99: number;
    lateness_ms_max: number;
    /** Rate of sending by the rate of the schedule, less 1; null where that is not a rate. */
    rate_error: number | null;
    dropped: number;
    /** False if lateness or rate show that the load was not the requested one. */
    is_held: boolean;
  } | null;
}

export interface SummaryOptions {
  /** Requested output tokens: of every request, or by its index. */
  asked?: number | readonly (number | null)[];
  /** A gap of more medians than this is a stall. */
  stallFactor?: number;
}

const stallFactorUsual = 10;
/** A random prefix leaves at most a template's few tokens to the cache. */
const cachedShareMax = 0.05;
const latenessMsMax = 1;
const rateErrorMax = 0.005;

/** Requests that did not end well, without those that we gave up ourselves because the run was cancelled. */
export const failedOf = ({ requests, by_outcome }: Pick<LoadSummary, 'requests' | 'by_outcome'>): number =>
  requests - by_outcome.ok - by_outcome.cancelled;

/** Statistics of values in any order, which it sorts in place; null without values. O(n log n). */
export function summariseValues(values: Float64Array): LatencySummary | null {
  const n = values.length;
  if (n === 0) return null;
  values.sort();
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / n;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const at = (p: number) => percentileOf(values, p);
  const sd = n < 2 ? null : Math.sqrt(squares / (n - 1));
  return { n, mean, sd, p50: at(50), p90: at(90), p95: at(95), p99: at(99), max: at(100) };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function summariseEach(
  requests: readonly RequestRecord[],
  of: (request: RequestRecord) => number | null,
): LatencySummary | null {
  return summariseValues(Float64Array.from(requests.map(of).filter((value) => value !== null)));
}

const firstOf = ({ chunks_ms }: RequestRecord): number | null => chunks_ms[0] ?? null;
const lastOf = ({ chunks_ms }: RequestRecord): number | null => chunks_ms[chunks_ms.length - 1] ?? null;
const since = (from: number | null, to: number | null) => (from === null || to === null ? null : to - from);

/** Answers that all came in one piece have no visible time between tokens. */
const visible = (latency: LatencySummary | null) => (latency?.max === 0 ? null : latency);

/** An answer of one token has no time between tokens. */
function tpotOf(request: RequestRecord): number | null {
  const { output_tokens } = request;
  if (output_tokens === null || output_tokens < 2) return null;
  const span = since(firstOf(request), lastOf(request));
  return span === null ? null : span / (output_tokens - 1);
}

function tokenSource(ok: readonly RequestRecord[]): TokenSource | null {
  if (ok.length === 0) return null;
  const counted = ok.filter(({ output_tokens }) => output_tokens !== null).length;
  if (counted === ok.length) return 'usage';
  return counted === 0 ? 'chunks' : 'mixed';
}

function shortfallOf(ok: readonly RequestRecord[], asked: SummaryOptions['asked']): LoadSummary['shortfall'] {
  if (asked === undefined) return null;
  let [askedTokens, got, short] = [0, 0, 0];
  for (const request of ok) {
    const wanted = typeof asked === 'number' ? asked : (asked[request.index] ?? null);
    if (wanted === null) continue;
    askedTokens += wanted;
    got += Math.min(wanted, tokensOf(request));
    if (tokensOf(request) < wanted) short++;
  }
  if (askedTokens === 0) return null;
  const share = (askedTokens - got) / askedTokens;
  return { asked_tokens: askedTokens, got_tokens: got, short_requests: short, share };
}

function stallsOf(ok: readonly RequestRecord[], median: number | null, factor: number): LoadSummary['stalls'] {
  if (median === null) return null;
  const threshold_ms = factor * median;
  let [gaps, requests] = [0, 0];
  for (const { chunks_ms } of ok) {
    const before = gaps;
    for (let at = 1; at < chunks_ms.length; at++)
      if ((chunks_ms[at] ?? 0) - (chunks_ms[at - 1] ?? 0) > threshold_ms) gaps++;
    if (gaps > before) requests++;
  }
  return { factor, threshold_ms, gaps, requests };
}

function cacheOf(ok: readonly RequestRecord[]): LoadSummary['cache'] {
  const counted = ok.filter(({ cached_tokens }) => cached_tokens !== null);
  if (counted.length === 0) return null;
  const cached = sum(counted.map(({ cached_tokens }) => cached_tokens ?? 0));
  const prompt = sum(counted.map(({ prompt_tokens }) => prompt_tokens ?? 0));
  const share = prompt === 0 ? 0 : cached / prompt;
  const requests = counted.filter(({ cached_tokens }) => (cached_tokens ?? 0) > 0).length;
  return { requests, cached_tokens: cached, share, is_suspected: share > cachedShareMax };
}

/** Gaps between the first and the last of ascending times, per ms; null where there is none. */
function rateOf(times: Float64Array): number | null {
  const span = (times[times.length - 1] ?? 0) - (times[0] ?? 0);
  return times.length < 2 || !(span > 0) ? null : (times.length - 1) / span;
}

function arrivalOf(requests: readonly RequestRecord[], sent: readonly RequestRecord[]): LoadSummary['arrival'] {
  const due = Float64Array.from(requests.map(({ due_ms }) => due_ms).filter((at) => at !== null)).sort();
  const lateness = percentilesOf(
    Float64Array.from(sent.map(({ due_ms, started_ms }) => since(due_ms, started_ms)).filter((late) => late !== null)),
    [50, 99, 100],
  );
  if (due.length === 0 || lateness === null) return null;
  const [p50 = 0, p99 = 0, max = 0] = lateness;
  // Later turns of conversations follow answers, not the schedule.
  const scheduled = sent.filter(({ due_ms }) => due_ms !== null);
  const [wanted, had] = [rateOf(due), rateOf(Float64Array.from(scheduled.map(({ started_ms }) => started_ms)).sort())];
  const rate_error = wanted === null || had === null ? null : had / wanted - 1;
  const dropped = requests.length - sent.length;
  return {
    lateness_ms_p50: p50,
    lateness_ms_p99: p99,
    lateness_ms_max: max,
    rate_error,
    dropped,
    is_held: p99 <= latenessMsMax && Math.abs(rate_error ?? 0) <= rateErrorMax && dropped === 0,
  };
}

function lostOf(sent: readonly RequestRecord[]): LoadSummary['lost'] {
  const lost = sent.filter(({ outcome }) => outcome !== 'ok');
  return {
    requests: lost.length,
    chunks: sum(lost.map(({ chunk_count }) => chunk_count)),
    time_ms: sum(lost.map(({ started_ms, closed_ms }) => closed_ms - started_ms)),
  };
}

function countOutcomes(requests: readonly RequestRecord[]): Record<Outcome, number> {
  const counts = Object.fromEntries(outcomes.map((name) => [name, 0])) as Record<Outcome, number>;
  for (const { outcome } of requests) counts[outcome]++;
  return counts;
}

/**
 * The figures of a run. Requests that were not `ok` are counted and never averaged into a latency. Percentiles are
 * linear between ranks, as NumPy's. O(n log n) in requests and chunks.
 */
export function summariseLoad({ requests, documents }: LoadRecord, options: SummaryOptions = {}): LoadSummary {
  // A document is there at its end, all at once.
  const endOf = documents ? ({ closed_ms }: RequestRecord) => closed_ms : lastOf;
  const sent = requests.filter(({ outcome }) => outcome !== 'dropped');
  const ok = requests.filter(({ outcome }) => outcome === 'ok');
  const counted = ok.filter(({ output_tokens }) => output_tokens !== null);
  const tokens = sum(counted.map(tokensOf));
  const gaps = pooledGaps(ok.map(({ chunks_ms }) => chunks_ms));
  const itl = summariseValues(gaps);
  return {
    requests: requests.length,
    by_outcome: countOutcomes(requests),
    retried: requests.filter(({ retried }) => retried).length,
    latencies: {
      ttft_from_sent: summariseEach(ok, (request) => since(request.started_ms, firstOf(request))),
      ttft_from_due: summariseEach(ok, (request) => since(request.due_ms, firstOf(request))),
      itl_per_chunk: visible(itl),
      tpot_per_token: visible(summariseEach(ok, tpotOf)),
      e2e_from_sent: summariseEach(ok, (request) => since(request.started_ms, endOf(request))),
      e2e_from_due: summariseEach(ok, (request) => since(request.due_ms, endOf(request))),
    },
    throughput: throughputOf(sent, ok, endOf),
    output_tokens: sum(ok.map(tokensOf)),
    prompt_tokens: promptTokens(ok),
    token_source: documents ? null : tokenSource(ok),
    odd_usage: {
      refused: ok.filter(({ stated_tokens, output_tokens }) => stated_tokens !== null && output_tokens === null).length,
      fewer: counted.filter(({ output_tokens, chunk_count }) => (output_tokens ?? 0) < chunk_count).length,
    },
    chunks_per_token: tokens === 0 ? null : sum(counted.map(({ chunk_count }) => chunk_count)) / tokens,
    shortfall: documents ? null : shortfallOf(ok, options.asked),
    stalls: stallsOf(ok, positiveMedian(gaps), options.stallFactor ?? stallFactorUsual),
    cache: cacheOf(ok),
    lost: lostOf(sent),
    arrival: arrivalOf(requests, sent),
  };
}
