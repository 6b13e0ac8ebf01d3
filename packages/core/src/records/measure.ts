import type { Limits, RequestRecord } from '../records.ts';

/** Families of latencies that records can contain. */
export const recordedLatencies = ['ttft_ms', 'itl_ms', 'tpot_ms', 'e2e_ms'] as const;
export type RecordedLatency = (typeof recordedLatencies)[number];

/** Gaps between the chunks of a response; empty for a response of one token. Null if not recorded. */
export function gapsOf({ gapsMs, outputTokens }: RequestRecord): readonly number[] | null {
  return gapsMs ?? (outputTokens === 1 ? [] : null);
}

/** Time from sending a request to its last token in ms: as recorded, else the sum of its parts. */
export function e2eOf(request: RequestRecord): number | null {
  const { e2eMs, ttftMs } = request;
  if (e2eMs !== null || ttftMs === null) return e2eMs;
  const gaps = gapsOf(request);
  return gaps === null ? null : gaps.reduce((sum, gap) => sum + gap, ttftMs);
}

/** (e2e - ttft) / (n - 1) in ms; undefined for a response of fewer than two tokens, null if a part is missing. */
export function tpotOf(request: RequestRecord): number | null | undefined {
  const { ttftMs, outputTokens } = request;
  if (outputTokens === null) return null;
  if (outputTokens < 2) return undefined;
  const e2eMs = e2eOf(request);
  // R6 reports a last token before the first; avoid a negative time here.
  return e2eMs === null || ttftMs === null ? null : Math.max(0, e2eMs - ttftMs) / (outputTokens - 1);
}

export const succeeded = (requests: readonly RequestRecord[]) => requests.filter(({ error }) => error === null);

/** Collects one value from every request that has one; null if any lacks it, because the rest would describe another run. */
export function collect(
  requests: readonly RequestRecord[],
  of: (request: RequestRecord) => number | null | undefined,
): Float64Array | null {
  const values: number[] = [];
  for (const request of requests) {
    const value = of(request);
    if (value === null) return null;
    if (value !== undefined) values.push(value);
  }
  return values.length === 0 ? null : Float64Array.from(values);
}

function pooledGaps(requests: readonly RequestRecord[]): Float64Array | null {
  const lists: (readonly number[])[] = [];
  let length = 0;
  for (const request of requests) {
    const gaps = gapsOf(request);
    if (gaps === null) return null;
    lists.push(gaps);
    length += gaps.length;
  }
  if (length === 0) return null;
  const pooled = new Float64Array(length);
  let offset = 0;
  for (const gaps of lists) {
    pooled.set(gaps, offset);
    offset += gaps.length;
  }
  return pooled;
}

/** Samples of a latency in ms over the successful requests; for `itl_ms`, over all their gaps. Null if any is missing. */
export function latenciesOf(ok: readonly RequestRecord[], base: RecordedLatency): Float64Array | null {
  if (base === 'itl_ms') return pooledGaps(ok);
  if (base === 'ttft_ms') return collect(ok, ({ ttftMs }) => ttftMs);
  return collect(ok, base === 'e2e_ms' ? e2eOf : tpotOf);
}

/** True if every response has one chunk per token, so that a gap is the time of a token. */
export function hasGapPerToken(ok: readonly RequestRecord[]): boolean {
  return ok.every((request) => gapsOf(request)?.length === (request.outputTokens ?? 0) - 1);
}

/** Clock resolution; a rate over a shorter time could overflow. */
const shortestS = 1e-9;

/**
 * Seconds from the first request sent to the last one finished, and whether the window is complete: requests without an end
 * may have ended later.
 */
export function windowOf(requests: readonly RequestRecord[]): { seconds: number; isWhole: boolean } | null {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let isWhole = true;
  for (const request of requests) {
    const e2eMs = e2eOf(request);
    if (e2eMs === null || request.sentS === null) isWhole = false;
    if (request.sentS === null) continue;
    first = Math.min(first, request.sentS);
    last = Math.max(last, request.sentS + (e2eMs ?? 0) / 1000);
  }
  const seconds = last - first;
  return seconds > shortestS ? { seconds, isWhole } : null;
}

/** Tolerance for floating-point division. */
const lenient = 1 + 1e-9;

/**
 * True if a request met all limits, null if a needed figure is missing. A response of one token has no time per token, so it
 * meets that limit. Gaps are compared by their mean, so that one stall does not fail a response.
 */
function isGood(request: RequestRecord, limits: Limits): boolean | null {
  const gaps = gapsOf(request);
  const gap = gaps && (gaps.length === 0 ? undefined : gaps.reduce((sum, value) => sum + value, 0) / gaps.length);
  const pairs: [number | null, number | null | undefined][] = [
    [limits.ttftMs, request.ttftMs],
    [limits.itlMs, gap],
    [limits.tpotMs, limits.tpotMs === null ? undefined : tpotOf(request)],
    [limits.e2eMs, limits.e2eMs === null ? undefined : e2eOf(request)],
  ];
  let isMet = true;
  for (const [limit, value] of pairs) {
    if (limit === null || value === undefined) continue;
    if (value === null) return null;
    isMet &&= value <= limit * lenient;
  }
  return isMet;
}

/** Counts successful requests that met all limits; null if any lacks a needed figure. */
export function countGood(ok: readonly RequestRecord[], limits: Limits): number | null {
  const flags = ok.map((request) => isGood(request, limits));
  return flags.includes(null) ? null : flags.filter(Boolean).length;
}
