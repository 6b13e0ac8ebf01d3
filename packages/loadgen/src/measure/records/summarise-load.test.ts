import { describe, expect, test } from 'vitest';
import type { LoadRecord, RequestRecord } from './load-record.ts';
import { summariseLoad } from './summarise-load.ts';

const self: LoadRecord['self'] = {
  threads: 1,
  loop_utilisation: 0.1,
  cpu_s: 1,
  scheduler_wait_ms: null,
  batch_ms_max: 0,
  batch_events_max: 1,
  batch_ms_p99: 0,
  coalesced_share: 0,
  late_share: 0,
  read_gap_ms_p50: null,
  send_lag_ms_p50: 0,
  send_lag_ms_p99: 0,
  send_lag_ms_max: 0,
  gc_ms: 0,
  connections_opened: 1,
  itl_ms_p50: null,
  client_limited: false,
  reasons: [],
};

/** A request whose chunks arrived at these times. */
function request(chunks: readonly number[], over: Partial<RequestRecord> = {}): RequestRecord {
  const started_ms = over.started_ms ?? 0;
  return {
    index: 0,
    due_ms: null,
    started_ms,
    written_ms: started_ms,
    headers_ms: null,
    first_byte_ms: null,
    first_content_ms: chunks[0] ?? null,
    first_reasoning_ms: null,
    chunks_ms: Float64Array.from(chunks),
    done_ms: null,
    closed_ms: chunks.at(-1) ?? started_ms,
    status: 200,
    outcome: 'ok',
    outcome_detail: null,
    prompt_tokens: 10,
    output_tokens: chunks.length,
    cached_tokens: null,
    chunk_count: chunks.length,
    finish_reason: 'stop',
    reused_connection: false,
    retried: false,
    stated_tokens: over.output_tokens ?? null,
    ...over,
  };
}

const summarise = (requests: RequestRecord[], options = {}) =>
  summariseLoad(
    {
      requests,
      self,
      simulated: false,
      given_up: false,
      started_at_unix_ms: 0,
      started_at_monotonic_ms: 0,
      duration_ms: 0,
    },
    options,
  );

describe('latencies', () => {
  test('match hand-computed values of two responses', () => {
    const { latencies, throughput } = summarise([
      request([100, 110, 130]),
      request([1250, 1270], { started_ms: 1050, output_tokens: 5, closed_ms: 2000 }),
    ]);
    expect(latencies.ttft_from_sent).toMatchObject({ n: 2, mean: 150, p50: 150, p90: 190, max: 200 });
    expect(latencies.ttft_from_sent?.sd).toBeCloseTo(Math.sqrt(5000));
    expect(latencies.itl_per_chunk).toMatchObject({ n: 3, p50: 20, max: 20 });
    // 30 / 2 and 20 / 4: the chunks of the second response contain several tokens.
    expect(latencies.tpot_per_token).toMatchObject({ n: 2, mean: 10 });
    expect(latencies.e2e_from_sent).toMatchObject({ mean: 175, max: 220 });
    expect(latencies.ttft_from_due).toBeNull();
    expect(throughput).toEqual({ window_ms: 2000, req_s: 1, output_tok_s: 4, total_tok_s: 14 });
  });

  test('start at the first reasoning token', () => {
    const { latencies } = summarise([request([5, 9], { first_reasoning_ms: 5, first_content_ms: 9 })]);
    expect(latencies.ttft_from_sent).toMatchObject({ n: 1, mean: 5, sd: null });
  });

  test('have no TPOT for a response of one token or one chunk', () => {
    const { latencies } = summarise([request([5]), request([7], { output_tokens: 50 })]);
    expect(latencies).toMatchObject({ tpot_per_token: null, itl_per_chunk: null });
  });

  test('include the wait from the due time, and the arrival compares the schedule with the starts', () => {
    const late = (place: number) =>
      request([50 * place + 40], { index: place, due_ms: 10 * place, started_ms: 50 * place });
    const { latencies, arrival } = summarise([late(0), late(1), late(2)]);
    expect(latencies.ttft_from_sent).toMatchObject({ mean: 40 });
    expect(latencies.ttft_from_due).toMatchObject({ mean: 80, max: 120 });
    expect(arrival).toMatchObject({ lateness_ms_p50: 40, lateness_ms_max: 80, dropped: 0, is_held: false });
    expect(arrival?.rate_error).toBeCloseTo(-0.8);
  });

  test('report a schedule that was held', () => {
    const punctual = (place: number) =>
      request([10 * place + 40], { due_ms: 10 * place, started_ms: 10 * place + 0.01 });
    expect(summarise([punctual(0), punctual(1)]).arrival).toMatchObject({ is_held: true });
  });
});

test('reports only counts if all requests failed', () => {
  const failed = request([3, 4], { outcome: 'disconnected', closed_ms: 30, output_tokens: null });
  const dropped = request([], { outcome: 'dropped', due_ms: 5, started_ms: Number.NaN, closed_ms: Number.NaN });
  const summary = summarise([failed, dropped], { asked: 10 });
  expect(summary.by_outcome).toMatchObject({ ok: 0, disconnected: 1, dropped: 1, timeout: 0 });
  expect(Object.values(summary.latencies)).toEqual([null, null, null, null, null, null]);
  expect(summary).toMatchObject({
    requests: 2,
    throughput: null,
    output_tokens: 0,
    token_source: null,
    chunks_per_token: null,
    shortfall: null,
    stalls: null,
    cache: null,
    lost: { requests: 1, chunks: 2, time_ms: 30 },
  });
});

test('returns an empty summary without requests', () => {
  expect(summarise([])).toMatchObject({ requests: 0, throughput: null, arrival: null });
});

test('reports a mixed basis if only some responses have token counts', () => {
  const summary = summarise([request([1, 2]), request([3, 4], { output_tokens: null, prompt_tokens: null })]);
  expect(summary).toMatchObject({ token_source: 'mixed', output_tokens: 4, prompt_tokens: null, chunks_per_token: 1 });
  expect(summary.throughput?.total_tok_s).toBeNull();
});

test('compares each response with its own requested length', () => {
  const summary = summarise([request([1, 2]), request([1, 2, 3], { index: 1 }), request([1], { index: 2 })], {
    asked: [4, 2, null],
  });
  expect(summary.shortfall).toEqual({ asked_tokens: 6, got_tokens: 4, short_requests: 1, share: 1 / 3 });
});

test('counts gaps above a multiple of the median as stalls', () => {
  const steady = Array.from({ length: 20 }, (_, at) => 10 * at);
  const summary = summarise([request(steady), request([...steady, 400, 410, 900])]);
  expect(summary.stalls).toEqual({ factor: 10, threshold_ms: 100, gaps: 2, requests: 1 });
});

test('suspects a cache if more than 5 % of the prompt is cached', () => {
  const cached = (tokens: number) => summarise([request([1], { prompt_tokens: 100, cached_tokens: tokens })]).cache;
  expect(cached(5)).toEqual({ requests: 1, cached_tokens: 5, share: 0.05, is_suspected: false });
  expect(cached(6)).toMatchObject({ is_suspected: true });
});
