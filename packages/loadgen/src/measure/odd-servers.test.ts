import { describe, expect, test } from 'vitest';
import { type FakeServer, startFakeServer } from '../fake-server/fake-server.ts';
import type { FakeOptions, FaultKind } from '../fake-server/options.ts';
import type { LoadPlan } from './plan.ts';
import type { LoadRecord, Outcome, RequestRecord } from './records/load-record.ts';
import { summariseLoad } from './records/summarise-load.ts';
import { measureHere } from './testing/measure-here.ts';
import { countOutcomes, planFor } from './testing/plans.ts';

// Each test starts a thread, which is slow on a busy machine.
const requests = 16;
const tokens = 12;
const ttftMs = 30;
const itlMs = 4;

/** Runs the usual load against a fake server with these options. */
async function measure(
  options: Partial<FakeOptions>,
  over: Partial<LoadPlan> = {},
): Promise<{ record: LoadRecord; answers: FakeServer['answers'] }> {
  const server = await startFakeServer({ ttftMs, itlMs, ...options });
  try {
    return { record: await measureHere(planFor(server.port, requests, over)), answers: server.answers };
  } finally {
    await server.close();
  }
}

const gapsOf = ({ chunks_ms }: RequestRecord) =>
  Array.from(chunks_ms.slice(1), (at, before) => at - (chunks_ms[before] ?? 0));

/** Checks a complete response: counts exactly, times with a tolerance for busy machines. */
function expectWhole(record: LoadRecord, chunks = tokens): void {
  const ok = record.requests.filter(({ outcome }) => outcome === 'ok');
  expect(ok.length).toBeGreaterThan(0);
  for (const request of ok) {
    expect(request).toMatchObject({ status: 200, chunk_count: chunks, finish_reason: 'length' });
    expect(request.chunks_ms).toHaveLength(chunks);
    expect(Array.from(request.chunks_ms)).toEqual([...request.chunks_ms].sort((a, b) => a - b));
    const first = request.chunks_ms[0] ?? 0;
    // The server's timers are never early.
    expect(first - request.started_ms).toBeGreaterThan(ttftMs - 1);
    const stamps = [request.started_ms, request.written_ms, request.headers_ms ?? 0, request.first_byte_ms ?? 0, first];
    expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
    expect(request.closed_ms).toBeGreaterThanOrEqual(request.chunks_ms[chunks - 1] ?? 0);
  }
}

describe('forms of a valid response', () => {
  test.each<[string, Partial<FakeOptions>]>([
    ['one token per chunk', {}],
    ['CRLF', { lineEnd: 'crlf' }],
    ['CR line ends', { lineEnd: 'cr' }],
    ['no space after data:', { noSpace: true }],
    ['comments', { commentEvery: 2 }],
    ['no role chunk', { role: 'none' }],
    ['several bytes per character', { multibyte: true }],
    ['events cut within characters', { multibyte: true, splitBytes: 37, splitGapMs: 0 }],
    ['usage in every chunk', { usage: 'every_chunk' }],
  ])('%s', async (_what, options) => {
    const { record } = await measure(options);
    expect(countOutcomes(record)).toEqual({ ok: requests });
    expectWhole(record);
    expect(record.requests.map(({ output_tokens }) => output_tokens)).toEqual(Array(requests).fill(tokens));
    expect(record.requests.map(({ outcome_detail }) => outcome_detail)).toEqual(Array(requests).fill(null));
    expect(record.requests.filter(({ reused_connection }) => reused_connection)).toHaveLength(requests - 8);
  });

  test('completions', async () => {
    const prompt = JSON.stringify({
      prompt: 'x',
      max_tokens: tokens,
      stream: true,
      stream_options: { include_usage: true },
    });
    const { record } = await measure({}, { path: '/v1/completions', bodies: Array(requests).fill(prompt) });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    expectWhole(record);
  });

  // Two tools counted the role chunk as the first token, and reported a TTFT of 2 ms instead of 50.
  test('a role chunk with the headers is not counted as a token', async () => {
    const { record } = await measure({ role: 'head', ttftMs: 300 });
    expectWhole(record);
    for (const { first_byte_ms, first_content_ms } of record.requests)
      expect((first_content_ms ?? 0) - (first_byte_ms ?? 0)).toBeGreaterThan(100);
  });

  // An event in two parts has the time of its second part.
  test('an event has the time of its end', async () => {
    const { record } = await measure({ splitBytes: 150, splitGapMs: 150, forcedTokens: 2, role: 'none' });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    for (const { started_ms, first_byte_ms, first_content_ms } of record.requests) {
      expect((first_content_ms ?? 0) - (first_byte_ms ?? 0)).toBeGreaterThan(50);
      expect((first_content_ms ?? 0) - started_ms).toBeGreaterThan(ttftMs + 100);
    }
  });

  test('reasoning counts as the first token, and is reported separately', async () => {
    const { record } = await measure({ reasoningTokens: 4 });
    expectWhole(record);
    for (const { first_reasoning_ms, first_content_ms, chunks_ms } of record.requests) {
      expect(first_reasoning_ms).toBe(chunks_ms[0]);
      expect(first_content_ms).toBe(chunks_ms[4]);
    }
  });

  test('several tokens per chunk: ITL is per chunk, TPOT uses the usage', async () => {
    const { record } = await measure({ tokensPerChunk: 4, itlMs: 12 });
    expectWhole(record, 3);
    const { latencies, chunks_per_token, token_source, output_tokens } = summariseLoad(record);
    expect({ chunks_per_token, token_source, output_tokens }).toEqual({
      chunks_per_token: 0.25,
      token_source: 'usage',
      output_tokens: requests * tokens,
    });
    expect(latencies.itl_per_chunk?.p50).toBeGreaterThan(11);
    expect(latencies.tpot_per_token?.p50).toBeLessThan((latencies.itl_per_chunk?.p50 ?? 0) / 3);
  });

  test('fewer tokens than requested are counted and reported as a shortfall', async () => {
    const { record } = await measure({ forcedTokens: 7 });
    expectWhole(record, 7);
    expect(summariseLoad(record, { asked: tokens }).shortfall).toEqual({
      asked_tokens: requests * tokens,
      got_tokens: requests * 7,
      short_requests: requests,
      share: 5 / 12,
    });
  });

  test('chunks are counted if the server sends no usage, which is reported', async () => {
    const { record } = await measure({ usage: 'never' });
    expectWhole(record);
    const { token_source, output_tokens, latencies } = summariseLoad(record);
    expect({ token_source, output_tokens }).toEqual({ token_source: 'chunks', output_tokens: requests * tokens });
    expect(latencies.tpot_per_token).toBeNull();
    expect(record.requests[0]).toMatchObject({ output_tokens: null, prompt_tokens: null, cached_tokens: null });
  });

  test('cached prompt tokens are reported as a suspected cache', async () => {
    const { record } = await measure({ cachedTokens: 5 });
    expect(record.requests[0]).toMatchObject({ cached_tokens: 5 });
    expect(summariseLoad(record).cache).toMatchObject({ requests, is_suspected: true });
  });
});

describe('one response in four has a fault', () => {
  const odd = requests / 4;
  const at = 4;

  test.each<[FaultKind, Outcome, Partial<RequestRecord>]>([
    ['status_500', 'http_5xx', { status: 500, chunk_count: 0, outcome_detail: 'status 500: out of memory' }],
    ['status_429', 'http_4xx', { status: 429, chunk_count: 0, outcome_detail: 'status 429: too many requests' }],
    ['empty', 'empty', { status: 200, chunk_count: 0, first_content_ms: null }],
    ['truncated', 'truncated', { chunk_count: tokens, finish_reason: null, done_ms: null }],
    ['cut', 'disconnected', { chunk_count: at, done_ms: null, output_tokens: null }],
    ['reset', 'disconnected', { done_ms: null, output_tokens: null }],
    ['bad_event', 'bad_event', { chunk_count: tokens, output_tokens: tokens }],
    ['error_event', 'error_event', { chunk_count: at, outcome_detail: 'the engine died' }],
    ['gzip', 'encoded', { status: 200, chunk_count: 0, outcome_detail: 'content coding gzip' }],
    ['not_streamed', 'bad_event', { status: 200, chunk_count: 0 }],
  ])('%s', async (kind, outcome, facts) => {
    const { record } = await measure({ fault: { kind, every: 4, at } });
    expect(countOutcomes(record)).toEqual({ ok: requests - odd, [outcome]: odd });
    expectWhole(record);
    for (const request of record.requests.filter((each) => each.outcome === outcome))
      expect(request).toMatchObject(facts);
    const { latencies, by_outcome, lost, output_tokens } = summariseLoad(record);
    expect(by_outcome).toMatchObject({ ok: requests - odd, [outcome]: odd });
    expect(lost.requests).toBe(odd);
    expect(output_tokens).toBe((requests - odd) * tokens);
    // Empty and truncated responses must not improve the latencies.
    for (const latency of [latencies.ttft_from_sent, latencies.e2e_from_sent, latencies.tpot_per_token])
      expect(latency?.n).toBe(requests - odd);
    expect(latencies.itl_per_chunk?.n).toBe((requests - odd) * (tokens - 1));
  });

  test('a missing [DONE] after a finish reason is accepted, and reported', async () => {
    const { record } = await measure({ fault: { kind: 'no_done', every: 4, at } });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    expect(record.requests.filter(({ outcome_detail }) => outcome_detail === 'no [DONE]')).toHaveLength(odd);
    expectWhole(record);
  });

  // An impossible usage would let the server report any speed.
  test.each<[FaultKind, string]>([
    ['usage_times_ten', `usage states ${10 * tokens} tokens, more than the maximum of ${tokens}: chunks are counted`],
    ['usage_zero', `usage states 0 tokens for ${tokens} chunks of text: chunks are counted`],
  ])('%s is rejected, and reported', async (kind, outcome_detail) => {
    const { record } = await measure({ fault: { kind, every: 4, at } });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    const doubted = record.requests.filter((request) => request.outcome_detail !== null);
    expect(doubted).toHaveLength(odd);
    for (const request of doubted) expect(request).toMatchObject({ output_tokens: null, outcome_detail });
    const { token_source, output_tokens, latencies, odd_usage } = summariseLoad(record);
    expect({ token_source, output_tokens }).toEqual({ token_source: 'mixed', output_tokens: requests * tokens });
    expect(odd_usage).toEqual({ refused: odd, fewer: 0 });
    expect(latencies.tpot_per_token?.n).toBe(requests - odd);
    expectWhole(record);
  });

  test('usage with fewer tokens than chunks is accepted, and reported', async () => {
    const { record } = await measure({ fault: { kind: 'wrong_usage', every: 4, at } });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    const doubted = record.requests.filter(({ outcome_detail }) => outcome_detail !== null);
    expect(doubted).toHaveLength(odd);
    for (const request of doubted)
      expect(request).toMatchObject({
        output_tokens: 1,
        chunk_count: tokens,
        outcome_detail: `usage states 1 tokens for ${tokens} chunks of text`,
      });
    const { token_source, output_tokens, odd_usage } = summariseLoad(record);
    expect({ token_source, output_tokens }).toEqual({
      token_source: 'usage',
      output_tokens: (requests - odd) * tokens + odd,
    });
    expect(odd_usage).toEqual({ refused: 0, fewer: odd });
    expectWhole(record);
  });

  test('several tokens and bytes per chunk do not affect counts', async () => {
    const { record } = await measure({ multibyte: true, tokensPerChunk: 4, splitBytes: 5, splitGapMs: 0 });
    expectWhole(record, tokens / 4);
    for (const request of record.requests)
      expect(request).toMatchObject({ output_tokens: tokens, chunk_count: tokens / 4, outcome_detail: null });
    expect(summariseLoad(record)).toMatchObject({ token_source: 'usage', odd_usage: { refused: 0, fewer: 0 } });
  });

  test('a pause is included in the gaps and counted as a stall', async () => {
    const { record } = await measure({ fault: { kind: 'stall', every: 4, at }, stallMs: 1500 });
    expect(countOutcomes(record)).toEqual({ ok: requests });
    const paused = record.requests.filter((request) => Math.max(...gapsOf(request)) > 1400);
    expect(paused).toHaveLength(odd);
    const { stalls, latencies } = summariseLoad(record, { stallFactor: 200 });
    expect(stalls).toMatchObject({ gaps: odd, requests: odd });
    expect(latencies.itl_per_chunk?.max).toBeGreaterThan(1400);
  });

  test('a pause above the limit ends the request', async () => {
    const limits = { duration_ms: null, outputTokens: null, request_timeout_ms: 20_000, stall_ms: 500 };
    const { record } = await measure({ fault: { kind: 'stall', every: 4, at }, stallMs: 15_000 }, { limits });
    expect(countOutcomes(record)).toEqual({ ok: requests - odd, stalled: odd });
    for (const { outcome, chunk_count } of record.requests) if (outcome === 'stalled') expect(chunk_count).toBe(at);
  });

  test('a response far above the requested tokens ends the request', async () => {
    const { record } = await measure({ forcedTokens: 1_000_000, itlMs: 0.01, ttftMs: 0 });
    expect(countOutcomes(record)).toEqual({ bad_event: requests });
    for (const { chunk_count, outcome_detail } of record.requests) {
      expect(chunk_count).toBeLessThan(20_000);
      expect(outcome_detail).toBe(`more than ${10 * tokens + 10_000} chunks for max_tokens ${tokens}`);
    }
  });

  test('a response above the time limit ends the request', async () => {
    const limits = { duration_ms: null, outputTokens: null, request_timeout_ms: 400, stall_ms: 10_000 };
    const { record } = await measure({ ttftMs: 15_000 }, { limits });
    expect(countOutcomes(record)).toEqual({ timeout: requests });
    for (const { started_ms, closed_ms } of record.requests) expect(closed_ms - started_ms).toBeGreaterThan(399);
  });
});
