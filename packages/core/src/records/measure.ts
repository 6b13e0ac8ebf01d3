import type { Limits, RequestRecord } from '../records.ts';

/** The families of latencies that records can tell. */
export const recordedLatencies = ['ttft_ms', 'itl_ms', 'tpot_ms', 'e2e_ms'] as const;
export type RecordedLatency = (typeof recordedLatencies)[number];

/** Pauses between the chunks of an answer; none in an answer of one token. Null where they were not recorded. */
export function gapsOf({ gapsMs, outputTokens }: RequestRecord): readonly number[] | null {
  return gapsMs ?? (outputTokens === 1 ? [] : null);
}

/** From sending a request to its last token in ms: as recorded, else the sum of its parts. */
export function e2eOf(request: RequestRecord): number | null {
  const { e2eMs, ttftMs } = request;
  if (e2eMs !== null || ttftMs === null) return e2eMs;
  const gaps = gapsOf(request);
  return gaps === null ? null : gaps.reduce((sum, gap) => sum + gap, ttftMs);
}

/** (e2e - ttft) / (n - 1) in ms; undefined for an answer of fewer than two tokens, null where a part is missing. */
export function tpotOf(request: RequestRecord): number | null | undefined {
  const { ttftMs, outputTokens } = request;
  if (outputTokens === null) return null;
  if (outputTokens < 2) return undefined;
  const e2eMs = e2eOf(request);
  // A last token before the first is R6's to tell; a negative time would not be a time.
  return e2eMs === null || ttftMs === null ? null : Math.max(0, e2eMs - ttftMs) / (outputTokens - 1);
}

export const succeeded = (requests: readonly RequestRecord[]) => requests.filter(({ error }) => error === null);

/** One value of every request that has one; null if it is missing from any: the rest would be another run's figure. */
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

/** Samples of a latency in ms over the successful requests, for `itl_ms` over all their gaps; null if any is missing. */
export function latenciesOf(ok: readonly RequestRecord[], base: RecordedLatency): Float64Array | null {
  if (base === 'itl_ms') return pooledGaps(ok);
  if (base === 'ttft_ms') return collect(ok, ({ ttftMs }) => ttftMs);
  return collect(ok, base === 'e2e_ms' ? e2eOf : tpotOf);
}

/** True where every answer came as one chunk a token, so that a gap is the time of a token. */
export function hasGapPerToken(ok: readonly RequestRecord[]): boolean {
  return ok.every((request) => gapsOf(request)?.length === (request.outputTokens ?? 0) - 1);
}

/** No clock sees less, and a rate over less might be too large for a number. */
const shortestS = 1e-9;

/** First request sent to last one finished in seconds, and whether that is all of it: any other may have ended later. */
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

/** For the last bits of a division. */
const lenient = 1 + 1e-9;

/**
 * True if a request met every limit at once, null where a figure for that is missing. Time per token: an answer of one
 * token has none, and misses no limit of it. Gaps: their mean, so that one stall does not condemn an answer.
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

/** Successful requests that met every limit; null where a figure for that is missing from any. */
export function countGood(ok: readonly RequestRecord[], limits: Limits): number | null {
  const flags = ok.map((request) => isGood(request, limits));
  return flags.includes(null) ? null : flags.filter(Boolean).length;
}
