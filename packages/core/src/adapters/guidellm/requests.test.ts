import { readFileSync } from 'node:fs';
import { dump } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readSubmission } from '../../submission/read-submission.ts';
import { readArtifact } from '../index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(bytes(text)).results;
const refusal = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read');
};

const request = { id: 'a', prompt: 'a secret', prompt_token_count: 64, output_token_count: 4, params: {} };
/** A response of four chunks: an empty one after 0.1 s, the next at once, two after 20 ms each, the last after 20 ms. */
const answer = (start_time: number, change: object = {}) => ({
  request,
  prompt: 'a secret',
  prompt_word_count: 2,
  prompt_token_count: 64,
  output: 'another secret',
  output_token_count: 4,
  start_time,
  end_time: start_time + 0.16,
  first_token_time: 0.1,
  decode_times: { data: [0, 0.02, 0.02] },
  ...change,
});
const zero = 1_725_192_000;
/** Number of requests in flight over time. */
const flight = (...processing: number[]) =>
  processing.map((count, index) => ({ time: zero + index, completed: 0, errored: 0, processing: count }));

const synchronous = {
  mode: 'synchronous',
  rate: null,
  results: [answer(zero), answer(zero + 0.2)],
  errors: [],
  concurrencies: flight(1, 0, 1, 0),
};
const args = {
  backend_type: 'openai_server',
  target: 'http://localhost:8000/v1',
  model: 'org/Name-8B',
  data_type: 'emulated',
  data: 'prompt_tokens=64,generated_tokens=4',
  mode: 'sweep',
  rate: null,
};
const run = (change: object = {}, more: object = {}) => ({
  benchmarks: [{ ...synchronous, ...change }],
  args: { ...args, ...more },
});
const resultOf = (change: object = {}, more: object = {}) => read(JSON.stringify(run(change, more)))[0];

describe('a report of 0.1', () => {
  test('gives one record per request, and counts', () => {
    const result = resultOf();
    expect(result?.requests).toEqual([
      {
        sentS: 0,
        inputTokens: 64,
        cachedTokens: null,
        outputTokens: 4,
        maxTokens: null,
        ttftMs: 100,
        e2eMs: 160,
        gapsMs: [0, 20, 20, 20],
        error: null,
      },
      expect.objectContaining({ sentS: 0.2, e2eMs: 160 }),
    ]);
    expect(result?.metrics).toEqual({ requests_ok: 2, requests_failed: 0, duration_s: 0.36 });
    expect(result?.definitions).toEqual({});
    expect(result?.measuredAt).toBe('2024-09-01T12:00:00.000Z');
    expect(result?.system.model).toEqual({ value: 'org/Name-8B', origin: 'stated' });
    expect(result?.scenario).toMatchObject({ inputTokens: { value: 64 }, outputTokens: { value: 4 } });
    expect(result?.load).toEqual({ mode: 'concurrency', level: 1 });
    expect(result?.notes.map(({ code }) => code)).toEqual(['tokens_are_chunks']);
    // We compute its figures, so there is no tolerance.
    expect(result).not.toHaveProperty('tolerance');
  });

  test('contains no prompts, responses or addresses', () => {
    expect(JSON.stringify(readArtifact(bytes(JSON.stringify(run()))))).not.toMatch(/secret|localhost/);
  });

  // 2 requests and 8 tokens in 0.36 s; (160 - 100) / 3 ms per token, and 60 / 4 ms per chunk.
  test('is computed from its requests', () => {
    const [result] = readSubmission(bytes(JSON.stringify(run())), { gpu: 'h100-sxm', quantization: 'bf16' }).results;
    expect(result?.trust).toBe('recomputed');
    expect(result?.metrics).toMatchObject({ ttft_ms_mean: 100, e2e_ms_mean: 160, tpot_ms_mean: 20, itl_ms_mean: 15 });
    expect(result?.metrics.req_s).toBeCloseTo(2 / 0.36, 6);
    expect(result?.metrics.output_tok_s).toBeCloseTo(8 / 0.36, 6);
    expect(result?.definitions).toMatchObject({
      itl_ms: 'per_chunk',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
    expect(result?.findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
    expect(result?.passed).toContain('R6');
  });

  test('reads the same if saved as a list of runs, and in YAML', () => {
    const saved = { benchmarks: [run()] };
    const expected = resultOf();
    expect(read(JSON.stringify(saved))).toEqual([expected]);
    const { lines: _, ...rest } = expected ?? {};
    expect(read(dump(run()))[0]).toMatchObject(rest);
  });

  test.each<[object, object, unknown]>([
    [{ mode: 'asynchronous', rate: 2.5 }, { mode: 'sweep' }, { mode: 'rate', level: 2.5 }],
    [{ mode: 'asynchronous', rate: 2.5 }, { mode: 'constant' }, { mode: 'rate', level: 2.5 }],
    [{ mode: 'asynchronous', rate: 2.5 }, { mode: 'poisson' }, { mode: 'rate', level: 2.5, burstiness: 1 }],
    [{ mode: 'asynchronous', rate: null }, {}, null],
    [{ mode: 'throughput', concurrencies: flight(1, 2, 1, 0) }, {}, { mode: 'burst', level: 2 }],
    [{ mode: 'throughput', concurrencies: flight(1, 2, 1, 2, 1, 0) }, {}, { mode: 'concurrency', level: 2 }],
    [{ mode: 'throughput', concurrencies: [] }, {}, null],
  ])('%j with %j', (change, more, load) => {
    expect(resultOf(change, more)?.load).toEqual(load);
  });

  test('counts failed requests without their messages', () => {
    const errors = [{ request, message: 'Connection to http://localhost refused' }];
    const result = resultOf({ errors });
    expect(result?.metrics).toMatchObject({ requests_ok: 2, requests_failed: 1 });
    expect(result?.requests?.at(-1)).toMatchObject({ error: 'failed', sentS: null });
    expect(JSON.stringify(result)).not.toContain('Connection');
    expect(refusal(JSON.stringify(run({ errors, results: [] }))).faults[0]?.code).toBe('nothing_measured');
  });

  test('counts requests in flight at the end as incomplete', () => {
    expect(resultOf({ concurrencies: flight(1, 2, 1) })?.extra.requests_incomplete).toBe(1);
  });

  // If the prompt tokens are missing, the other count is that of words.
  test('does not read a word count as a token count', () => {
    const results = [answer(zero, { request: { ...request, prompt_token_count: null }, prompt_token_count: 2 })];
    expect(resultOf({ results })?.requests?.[0]?.inputTokens).toBeNull();
  });

  test('omits the first token of a response that was not streamed', () => {
    const results = [answer(zero, { first_token_time: null, decode_times: { data: [] } })];
    expect(resultOf({ results })?.requests?.[0]).toMatchObject({ ttftMs: null, gapsMs: null, e2eMs: 160 });
  });

  test.each([
    [{ start_time: null }, '/benchmarks/0/results/0/start_time'],
    [{ start_time: '12:00' }, '/benchmarks/0/results/0/start_time'],
    [{ end_time: zero - 1 }, '/benchmarks/0/results/0/end_time'],
    [{ first_token_time: -0.1 }, '/benchmarks/0/results/0/first_token_time'],
    [{ output_token_count: 3.5 }, '/benchmarks/0/results/0/output_token_count'],
  ])('rejects %j with its location', (change, pointer) => {
    expect(refusal(JSON.stringify(run({ results: [answer(zero, change)] }))).faults).toEqual([
      expect.objectContaining({ code: 'value_invalid', line: 1, pointer }),
    ]);
  });

  test('rejects a benchmark of another kind in the list', () => {
    const mixed = { benchmarks: [synchronous, { mode: 'synchronous' }], args };
    expect(refusal(JSON.stringify(mixed)).faults).toEqual([
      expect.objectContaining({ code: 'value_invalid', pointer: '/benchmarks/1' }),
    ]);
  });
});

test('reads each benchmark of the sweep fixture as a result', () => {
  const name = new URL('../../../fixtures/guidellm/0.1-sweep-of-requests.json', import.meta.url);
  expect(read(readFileSync(name, 'utf8')).map(({ load, requests }) => [load, requests?.length])).toEqual([
    [{ mode: 'concurrency', level: 1 }, 6],
    [{ mode: 'burst', level: 9 }, 9],
    [{ mode: 'rate', level: 5 }, 10],
  ]);
});
