import type { RequestRecord } from './load-record.ts';

/**
 * Rates over the time from the first request sent to the last one ended, `ok` or not. As in core's `windowOf`, an `ok` request ends
 * with its last chunk, and requests that we cancelled are omitted.
 */
export interface Throughput {
  window_ms: number;
  req_s: number;
  output_tok_s: number;
  /** Null where a request lacks the server's count of its prompt. */
  total_tok_s: number | null;
}

/** Output tokens of a request. Without usage a chunk counts as a token. */
export const tokensOf = ({ output_tokens, chunk_count }: RequestRecord): number => output_tokens ?? chunk_count;

/** Prompt tokens of all requests; null where one lacks the server's count. */
export function promptTokens(ok: readonly RequestRecord[]): number | null {
  let total = 0;
  for (const { prompt_tokens } of ok) {
    if (prompt_tokens === null) return null;
    total += prompt_tokens;
  }
  return ok.length === 0 ? null : total;
}

/** Rates of a run; null where no request was `ok`. `endOf`: the end of an `ok` request. */
export function throughputOf(
  sent: readonly RequestRecord[],
  ok: readonly RequestRecord[],
  endOf: (request: RequestRecord) => number | null,
): Throughput | null {
  if (ok.length === 0) return null;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const request of sent) {
    const { outcome, started_ms, closed_ms } = request;
    if (outcome === 'cancelled') continue;
    first = Math.min(first, started_ms);
    last = Math.max(last, (outcome === 'ok' ? endOf(request) : null) ?? closed_ms);
  }
  const window_ms = last - first;
  if (!(window_ms > 0)) return null;
  const perSecond = (amount: number) => (1000 * amount) / window_ms;
  const output = ok.reduce((total, request) => total + tokensOf(request), 0);
  const prompt = promptTokens(ok);
  return {
    window_ms,
    req_s: perSecond(ok.length),
    output_tok_s: perSecond(output),
    total_tok_s: prompt === null ? null : perSecond(output + prompt),
  };
}
