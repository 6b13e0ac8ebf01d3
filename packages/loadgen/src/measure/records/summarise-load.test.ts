import { readArtifact } from '@inferboard/core/adapters/index';
import { recompute } from '@inferboard/core/records/recompute';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { goodputOf } from '../../capacity/goodput.ts';
import { toNativeReport } from '../../points/native-report.ts';
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

const recordOf = (requests: RequestRecord[]): LoadRecord => ({
  requests,
  self,
  simulated: false,
  given_up: false,
  started_at_unix_ms: 0,
  started_at_monotonic_ms: 0,
  duration_ms: 0,
});
const summarise = (requests: RequestRecord[], options = {}) => summariseLoad(recordOf(requests), options);

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
    // To the last chunk: what follows it, such as usage and the end of the response, is not part of the window.
    expect(throughput).toEqual({
      ...{ window_ms: 1270, req_s: 2000 / 1270, output_tok_s: 8000 / 1270, total_tok_s: 28_000 / 1270 },
    });
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

describe('the figures of the table are those that the service derives from the report', () => {
  const limits = { ttft_ms: 60, tpot_ms: 5 };
  const none = { quantization: null, gpu: null, gpuCount: null, gpuPowerLimitW: null, engine: null };
  const system = { ...none, model: 'm', engineVersion: null, tensorParallel: null };
  const loads = [
    { mode: 'concurrency', level: 2 },
    { mode: 'burst', level: 8 },
    { mode: 'rate', level: 4 },
  ] as const;

  /** The figures of both, by name: those of the client, and those that core computes from the client's report. */
  function bothOf(record: LoadRecord, load: (typeof loads)[number], isCut: boolean) {
    const summary = summariseLoad(record);
    const goodput = goodputOf(record, summary, limits);
    const [key, asked] = ['64-16', record.requests.map(() => null)];
    const scenario = { id: key, inputTokens: 64, outputTokens: 16, dataset: null, depth: null, kernel: null };
    const point = { key, scenario, load, repetition: 1, requests: record.requests.length, warmup: 0, seed: 1 };
    const measured = {
      ...{ point: { ...point, durationMaxS: null }, record, summary, goodput, notes: [], length: null },
      ...{ askedTokens: asked as unknown as number[] }, // the reader accepts requests without a maximum
      cut: isCut ? { reason: 'canceled' as const, ended: 1, planned: record.requests.length + 1 } : null,
    };
    const report = toNativeReport(measured, system);
    const [result] = readArtifact(Buffer.from(JSON.stringify(report))).results;
    const { figures, certificates } = recompute(result?.requests ?? [], result?.limits ?? null, {});
    const derived = Object.fromEntries([
      ...figures.map(({ name, value }) => [name, value]),
      ...Object.entries(certificates).map(([name, { value }]) => [name, value]),
    ]) as Record<string, number | null>;
    const { throughput, latencies, by_outcome } = summary;
    const shown: Record<string, number | null | undefined> = {
      requests_ok: by_outcome.ok,
      requests_failed: summary.requests - by_outcome.ok - by_outcome.cancelled - by_outcome.dropped,
      duration_s: throughput && throughput.window_ms / 1000,
      req_s: throughput?.req_s,
      output_tok_s: throughput?.output_tok_s,
      goodput_req_s: goodput?.req_s,
    };
    const families = {
      ttft_ms: latencies.ttft_from_sent,
      itl_ms: latencies.itl_per_chunk,
      tpot_ms: latencies.tpot_per_token,
      e2e_ms: latencies.e2e_from_sent,
    };
    for (const [family, latency] of Object.entries(families))
      for (const statistic of ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const)
        shown[`${family}_${statistic}`] = latency?.[statistic];
    return { shown, derived };
  }

  const requests = fc.record({
    started: fc.integer({ min: 0, max: 500_000 }),
    gaps: fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30_000 })), { maxLength: 12 }),
    ttft: fc.integer({ min: 1000, max: 90_000 }),
    rest: fc.integer({ min: 0, max: 40_000 }),
    perChunk: fc.integer({ min: 1, max: 3 }),
    retried: fc.boolean(),
    outcome: fc.constantFrom(...(['ok', 'ok', 'ok', 'http_5xx', 'disconnected', 'cancelled', 'dropped'] as const)),
  });

  const records = fc.array(requests, { minLength: 1, maxLength: 40 }).map((all) =>
    all.map(({ started, gaps, ttft, rest, perChunk, retried, outcome }, index): RequestRecord => {
      const isDropped = outcome === 'dropped';
      let at = (started + ttft) / 1000;
      const chunks = isDropped ? [] : [at, ...gaps.map((gap) => (at += gap / 1000))]; // in whole microseconds
      return request(chunks, {
        ...{ index, retried, outcome, due_ms: started / 1000 },
        started_ms: isDropped ? Number.NaN : started / 1000,
        closed_ms: isDropped ? Number.NaN : at + rest / 1000,
        output_tokens: outcome === 'ok' ? chunks.length * perChunk : null,
      });
    }),
  );

  test('for any load, with failures, retries, cancelled and dropped requests', () => {
    fc.assert(
      fc.property(records, fc.constantFrom(...loads), fc.boolean(), (generated, load, isCut) => {
        fc.pre(generated.some(({ outcome }) => outcome === 'ok'));
        const { shown, derived } = bothOf(recordOf(generated), load, isCut);
        for (const [name, value] of Object.entries(shown)) {
          const other = derived[name] ?? null;
          if (value == null || other === null) expect([name, other]).toEqual([name, value ?? null]);
          // The report states times in whole microseconds.
          else expect(Math.abs(value / other - 1) < 1e-3 || Math.abs(value - other) < 2e-3, name).toBe(true);
        }
      }),
    );
  });

  test('without a number of tokens, the service derives no figure that needs it', () => {
    const { shown, derived } = bothOf(
      recordOf([request([5, 9]), request([6, 9], { output_tokens: null })]),
      loads[0],
      false,
    );
    expect(shown).toMatchObject({ req_s: 2000 / 9, output_tok_s: 4000 / 9, tpot_ms_mean: 4 });
    expect(derived).toMatchObject({ req_s: expect.closeTo(2000 / 9), e2e_ms_mean: 9 });
    expect(derived).not.toHaveProperty('output_tok_s');
    expect(derived).not.toHaveProperty('tpot_ms_mean');
  });
});
