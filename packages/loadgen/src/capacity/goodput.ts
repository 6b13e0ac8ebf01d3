import { countGood } from '@inferboard/core/records/measure';
import type { LoadRecord, RequestRecord } from '../measure/records/load-record.ts';
import type { LoadSummary } from '../measure/records/summarise-load.ts';
import type { RequestLimits } from './limits.ts';

/** Requests that met every limit at once. */
export interface Goodput {
  limits: RequestLimits;
  good: number;
  /** Of all requests that were sent, failed ones included. */
  share: number;
  /** Per second of the window of the throughput; null without one. */
  req_s: number | null;
}

function toCoreRecord(
  { chunks_ms: chunks, started_ms, closed_ms, output_tokens, chunk_count }: RequestRecord,
  hasDocuments: boolean,
) {
  // A document has an end, and no chunks.
  const [first, last] = hasDocuments ? [undefined, closed_ms] : [chunks[0], chunks.at(-1)];
  return {
    ...{ sentS: started_ms / 1000, inputTokens: null, cachedTokens: null, maxTokens: null, error: null },
    outputTokens: output_tokens ?? chunk_count,
    ttftMs: first === undefined ? null : first - started_ms,
    e2eMs: last === undefined ? null : last - started_ms,
    gapsMs: Array.from(chunks.subarray(1), (at, place) => at - (chunks[place] ?? at)),
  };
}

/** The goodput of a record, counted as the service counts it; null without limits, or if a figure is missing. */
export function goodputOf(
  { requests, documents }: Pick<LoadRecord, 'requests' | 'documents'>,
  { throughput }: Pick<LoadSummary, 'throughput'>,
  limits: RequestLimits | undefined,
): Goodput | null {
  if (limits === undefined || Object.keys(limits).length === 0) return null;
  const sent = requests.filter(({ outcome }) => outcome !== 'dropped' && outcome !== 'cancelled');
  const good = countGood(
    sent.filter(({ outcome }) => outcome === 'ok').map((one) => toCoreRecord(one, documents ?? false)),
    {
      ttftMs: limits.ttft_ms ?? null,
      itlMs: limits.itl_ms ?? null,
      tpotMs: limits.tpot_ms ?? null,
      e2eMs: limits.e2e_ms ?? null,
    },
  );
  if (good === null || sent.length === 0) return null;
  const req_s = throughput === null ? null : (1000 * good) / throughput.window_ms;
  return { limits, good, share: good / sent.length, req_s };
}
