import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const plain = JSON.parse(fixture('vllm-bench-serve-json/0.12-closed-loop.json')) as Record<string, unknown>; // our own file
/** The first result of the plain record with some keys changed. */
const changed = (keys: Record<string, unknown>) => read(JSON.stringify({ ...plain, ...keys })).results[0];
const faults = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error.faults;
    throw error;
  }
  throw new Error('was read');
};

/** Forty requests in ten seconds, with 100 input and 20 output tokens each. */
const record = {
  date: '20251120-101500',
  endpoint_type: 'openai-chat',
  backend: 'openai-chat',
  label: 'mine',
  model_id: 'org/Name-8B-FP8',
  tokenizer_id: '/home/me/tokenizer',
  num_prompts: 40,
  request_rate: 'inf',
  burstiness: 1.0,
  max_concurrency: 4,
  duration: 10,
  completed: 40,
  failed: 0,
  total_input_tokens: 4000,
  total_output_tokens: 800,
  request_throughput: 4,
  request_goodput: null,
  output_throughput: 80,
  total_token_throughput: 480,
  mean_ttft_ms: 200,
  median_ttft_ms: 190,
  std_ttft_ms: 20,
  p99_ttft_ms: 260,
  mean_tpot_ms: 40,
  median_tpot_ms: 41,
  std_tpot_ms: 2,
  p99_tpot_ms: 44,
  mean_itl_ms: 40,
  median_itl_ms: 39,
  std_itl_ms: 4,
  p99_itl_ms: 55,
  mean_e2el_ms: 960,
  median_e2el_ms: 955,
  std_e2el_ms: 30,
  p99_e2el_ms: 1100,
};

test('reads all metrics, the model and the load of a result file', () => {
  const { tool, results, ignored } = read(JSON.stringify(record));
  expect(tool).toEqual({ name: 'vllm bench serve', version: null });
  expect(ignored).toEqual(['label', 'tokenizer_id']);
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual({
    requests_ok: 40,
    requests_failed: 0,
    duration_s: 10,
    input_tokens: 4000,
    output_tokens: 800,
    req_s: 4,
    output_tok_s: 80,
    total_tok_s: 480,
    ttft_ms_mean: 200,
    ttft_ms_p50: 190,
    ttft_ms_sd: 20,
    ttft_ms_p99: 260,
    tpot_ms_mean: 40,
    tpot_ms_p50: 41,
    tpot_ms_sd: 2,
    tpot_ms_p99: 44,
    itl_ms_mean: 40,
    itl_ms_p50: 39,
    itl_ms_sd: 4,
    itl_ms_p99: 55,
    e2e_ms_mean: 960,
    e2e_ms_p50: 955,
    e2e_ms_sd: 30,
    e2e_ms_p99: 1100,
  });
  expect(results[0]?.definitions).toEqual({
    ttft_ms: 'send_to_first_token',
    tpot_ms: 'without_first_token',
    itl_ms: 'per_chunk',
    e2e_ms: 'request',
  });
  expect(results[0]?.system.model).toEqual({ value: 'org/Name-8B-FP8', origin: 'stated' });
  expect(results[0]?.system.quantization).toEqual({ value: 'FP8', origin: 'inferred' });
  // A protocol is not an engine.
  expect(results[0]?.system.engine).toBeNull();
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 4 });
  expect(JSON.stringify(results)).not.toContain('/home');
});

describe('load', () => {
  const rate = (level: number, more: object = {}) => ({
    mode: 'rate',
    level,
    burstiness: 1,
    maxConcurrency: null,
    ...more,
  });
  test.each<[string, Record<string, unknown>, unknown]>([
    ['a cap below the requests', {}, { mode: 'concurrency', level: 8 }],
    ['a cap that never binds', { max_concurrency: 64 }, { mode: 'burst', level: 64 }],
    ['no cap', { max_concurrency: null }, { mode: 'burst', level: 64 }],
    ['a rate alone', { request_rate: 25, max_concurrency: null }, rate(25)],
    ['a rate as text', { request_rate: '25.0', max_concurrency: null }, rate(25)],
    ['a rate that was reached', { request_rate: 20.3 }, rate(20.3, { maxConcurrency: 8 })],
    // 20.2 req/s x (50.7 + 11 x 31) ms = 7.9 of 8 in flight.
    ['a rate that the cap prevented', { request_rate: 100 }, { mode: 'concurrency', level: 8 }],
    // Slower than requested, but the cap was never close.
    [
      'a rate that the server did not sustain',
      { request_rate: 100, max_concurrency: 60 },
      rate(100, { maxConcurrency: 60 }),
    ],
    ['a missing rate', { request_rate: undefined }, null],
    ['a ramp', { ramp_up_strategy: 'linear', request_rate: 4 }, null],
    ['conversations', { mode: 'multi_turn' }, null],
  ])('%s', (_, keys, expected) => {
    expect(changed(keys)?.load).toEqual(expected);
  });

  test('ignores an infinite rate written as a bare token', () => {
    const text = JSON.stringify({ ...record, max_concurrency: null }).replace('"inf"', 'Infinity');
    expect(read(text).results[0]?.load).toEqual({ mode: 'burst', level: 40 });
  });
});

describe('model', () => {
  test.each([
    ['org/name', 'org/name'],
    ['/data/models/Name-8B', 'Name-8B'],
    ['/cache/models--org--name/snapshots/0123456789012345678901234567890123456789', 'org/name'],
    ['default', undefined],
    ['gpt-3.5-turbo', undefined],
  ])('reads %j as %j', (given, expected) => {
    expect(changed({ model_id: given })?.system.model?.value).toBe(expected);
  });
});

describe('old files', () => {
  test('reads the goodput key with a colon, and derives the failures', () => {
    const [result] = read(fixture('vllm-bench-serve-json/0.7-goodput-colon.json')).results;
    expect(result?.metrics).toMatchObject({ goodput_req_s: 7.724284, requests_ok: 40, requests_failed: 2 });
    expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'failures_derived' }));
    expect(result?.extra).toMatchObject({ ttft_ms_p75: 88.96325, ttft_ms_p999: 95.802621 });
    expect(result?.load).toMatchObject({ mode: 'rate', level: 5, burstiness: 50 });
  });

  test('reads a misspelt rate and the engine version, and a burst without a cap', () => {
    const [old, later] = read(fixture('vllm-bench-serve-json/0.4-and-later-in-a-log.jsonl')).results;
    expect(old?.metrics.req_s).toBeCloseTo(30 / 0.526529, 9);
    expect(old?.system).toMatchObject({
      engine: { value: 'vllm' },
      engineVersion: { value: '0.4.3', origin: 'inferred' },
    });
    expect(old?.load).toEqual({ mode: 'burst', level: 30 });
    // NaN means missing. Only the values that --metadata overwrote are lost.
    expect(later?.metrics).not.toHaveProperty('itl_ms_mean');
    expect(later?.metrics).not.toHaveProperty('req_s');
    expect(later?.metrics.itl_ms_p50).toBeGreaterThan(0);
    expect(later?.notes).toContainEqual(expect.objectContaining({ code: 'field_unreadable' }));
    expect(later?.extra.arrivals).toBe('evenly spaced');
  });

  test('reads a file that has only latencies', () => {
    const keys = ['num_prompts', 'model_id', 'request_rate', 'mean_ttft_ms', 'p99_ttft_ms'] as const;
    const [result] = read(JSON.stringify(Object.fromEntries(keys.map((key) => [key, record[key]])))).results;
    expect(result?.metrics).toEqual({ ttft_ms_mean: 200, ttft_ms_p99: 260 });
  });
});

describe('zeros', () => {
  test('treats latencies of 0 next to others as missing', () => {
    const zero = { mean_itl_ms: 0, median_itl_ms: 0, std_itl_ms: 0, p99_itl_ms: 0 };
    const metrics = changed(zero)?.metrics ?? {};
    expect(Object.keys(metrics).filter((name) => name.startsWith('itl'))).toEqual([]);
    expect(metrics.tpot_ms_mean).toBeGreaterThan(0);
  });

  test('omits TTFT if responses were not streamed, and keeps it for responses of one token', () => {
    const [first] = read(fixture('vllm-bench-serve-json/0.12-not-streamed-and-ramp.jsonl')).results;
    expect(first?.metrics).not.toHaveProperty('ttft_ms_mean');
    expect(first?.metrics.e2e_ms_mean).toBe(410);
    const zero = Object.fromEntries(
      ['tpot', 'itl'].flatMap((name) => ['mean', 'median', 'std', 'p99'].map((word) => [`${word}_${name}_ms`, 0])),
    );
    const single = { ...record, ...zero, mean_e2el_ms: 200, total_output_tokens: 40, output_throughput: 4 };
    expect(read(JSON.stringify(single)).results[0]?.metrics.ttft_ms_mean).toBe(200);
  });

  test('rejects a run in which no request completed', () => {
    const text = fixture('vllm-bench-serve-json/0.12-all-failed.refused.json');
    expect(() => read(text)).toThrow('0 of 64 requests completed');
  });
});

describe('requests', () => {
  const text = fixture('vllm-bench-serve-json/0.14-detailed.json');

  test('reads arrays in seconds as requests in ms', () => {
    const requests = read(text).results[0]?.requests ?? [];
    expect(requests).toHaveLength(12);
    const [first] = JSON.parse(text).itls as number[][];
    const ttftS = JSON.parse(text).ttfts[0] as number;
    expect(requests[0]?.ttftMs).toBeCloseTo(1000 * ttftS, 9);
    expect(requests[0]?.e2eMs).toBeCloseTo(1000 * (first ?? []).reduce((sum, gap) => sum + gap, ttftS), 6);
    expect(requests[0]?.gapsMs).toHaveLength(23);
    expect(requests[4]).toMatchObject({ error: 'ServerDisconnectedError', ttftMs: null, outputTokens: null });
    expect(requests[7]).toMatchObject({ outputTokens: 1, gapsMs: [], error: null });
  });

  test('omits responses, paths and user names', () => {
    const said = JSON.stringify(read(text));
    for (const secret of ['private answer', 'someone', 'endpoint_request_func']) expect(said).not.toContain(secret);
  });

  test('rejects lists of different lengths, each by name', () => {
    const pointers = faults(fixture('vllm-bench-serve-json/0.12-wrong-values.refused.jsonl')).map(
      (fault) => fault.pointer,
    );
    expect(pointers).toEqual([
      '/completed',
      '/output_throughput',
      '/mean_ttft_ms',
      '/ttfts',
      '/errors',
      '/generated_texts',
      '/p50_ttft_ms',
    ]);
  });
});

describe('sweeps', () => {
  test('reads runs as repetitions and swept parameters as features, and skips the summary', () => {
    const { tool, results } = read(fixture('vllm-bench-serve-json/0.25-sweep-runs-and-summary.json'));
    expect(tool.name).toBe('vllm bench sweep serve');
    expect(results.map((result) => [result.system.features.max_num_seqs, result.repetition])).toEqual([
      [4, 1],
      [4, 2],
      [16, 1],
      [16, 2],
    ]);
    expect(results[0]?.notes).toContainEqual(expect.objectContaining({ code: 'identical_record' }));
    expect(results[0]?.system).toMatchObject({ parallelism: { tensor: 2 }, features: { block_size: 32 } });
  });

  test('reads the CSV summary like the JSON one', () => {
    const json = read(fixture('vllm-bench-serve-json/0.25-sweep-runs-and-summary.json')).results;
    const csv = read(fixture('vllm-bench-sweep-csv/0.25-summary.csv')).results;
    expect(csv).toHaveLength(4);
    for (const [index, { metrics, system, load, repetition }] of csv.entries()) {
      expect({ metrics, system, load, repetition }).toEqual({
        metrics: json[index]?.metrics,
        system: json[index]?.system,
        load: json[index]?.load,
        repetition: json[index]?.repetition,
      });
    }
  });

  test('rejects rows that do not match the header, and invalid figures, together', () => {
    const text = fixture('vllm-bench-sweep-csv/0.25-row-short.refused.csv');
    expect(faults(text).map((fault) => [fault.line, fault.code])).toEqual([
      [3, 'row_unreadable'],
      [4, 'value_invalid'],
    ]);
  });
});

test('reads the failures of the Rust client', () => {
  const { tool, results } = read(fixture('vllm-bench-serve-json/2026-07-rust-client.jsonl'));
  expect(tool.name).toBe('vllm-bench');
  expect(results.map((result) => result.metrics.requests_failed)).toEqual([0, 1]);
  expect(results[1]).toMatchObject({ load: null, extra: { mode: 'multi_turn' } });
});

test('reads drafted tokens as a feature, and their counters as extra values', () => {
  const [result] = read(fixture('vllm-bench-serve-json/0.15-speculative-rate-not-reached.json')).results;
  expect(result?.system.features).toEqual({ speculative_decoding: true, draft_tokens: 3 });
  expect(result?.extra).toMatchObject({ acceptance_length: 2.5, drafts: 800, accepted_tokens: 1200 });
  expect(result?.system.model).toBeNull();
});

// Copies of vLLM's client write nearly the same keys, some with a different meaning.
test.each<[string, Record<string, unknown>]>([
  ['TensorRT-LLM', { user_throughput: 40 }],
  ['TensorRT-LLM with speculation', { avg_decoded_tokens_per_iter: 1 }],
  ['InferenceX', { best_of: 1, 'request_goodput:': null, p90_ttft_ms: 230, 'p99.9_ttft_ms': 270 }],
  ['SGLang', { server_info: {} }],
  ['SGLang without the server', { total_output_tokens_retokenized: 790 }],
])('does not claim a copy of the client: %s', (_, keys) => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...record, ...keys }));
  expect(() => readArtifact(bytes, { tool: 'vllm-bench-serve-json' })).toThrow('not output of vllm bench serve');
});

test('rejects a truncated file', () => {
  expect(faults(JSON.stringify(record).slice(0, 600))[0]).toMatchObject({ code: 'json_broken', line: 1 });
});

test('ignores key order, indents and a byte order mark', () => {
  const expected = read(JSON.stringify(record)).results[0]?.metrics;
  const shuffled = fc.shuffledSubarray(Object.entries(record), { minLength: Object.keys(record).length });
  fc.assert(
    fc.property(shuffled, fc.constantFrom(0, 2, 4), (entries, indent) => {
      const text = JSON.stringify(Object.fromEntries(entries), null, indent);
      expect(read(`\uFEFF${text.replaceAll('\n', '\r\n')}`).results[0]?.metrics).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

test('reads the record or rejects it with a DomainError, for any value of a key', () => {
  const value = fc.oneof(
    fc.double({ noNaN: true }),
    fc.constantFrom<unknown>(null, true, '', 'inf', 'text', [], {}, [1], -1, 1e300, 0),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(record)), value, (key, given) => {
      try {
        for (const number of Object.values(changed({ [key]: given })?.metrics ?? {}))
          expect(Number.isFinite(number)).toBe(true);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }),
    { numRuns: 500 },
  );
});

// https://github.com/SemiAnalysisAI/InferenceX/tree/HEAD/experimental/token_position_decode_slo/glm-5/results
test('reads the seconds of a copy that writes latencies without a unit', () => {
  const record = {
    date: '20260213-135636',
    model_id: 'zai-org/GLM-5-FP8',
    tokenizer_id: 'zai-org/GLM-5-FP8',
    num_prompts: 160,
    request_rate: 'inf',
    burstiness: 1,
    max_concurrency: 16,
    duration: 214.63910559937358,
    completed: 160,
    good_completed: null,
    total_input_tokens: 1638400,
    total_output_tokens: 20480,
    request_throughput: 0.745437321653035,
    request_goodput: null,
    input_throughput: 7633.278173727079,
    output_throughput: 95.41597717158848,
    median_ttft: 3.1382447043433785,
    p99_ttft: 16.56180969102308,
    median_e2el: 21.44794770143926,
    p99_e2el: 30.149846625011413,
    median_tpot: 0.1410519243694666,
    p99_tpot: 0.196229197233622,
  };
  const { results, ignored } = readArtifact(new TextEncoder().encode(JSON.stringify(record)));
  expect(results[0]?.metrics).toMatchObject({
    ttft_ms_p50: 3138.2447043433785,
    tpot_ms_p99: 196.229197233622,
    e2e_ms_p50: 21447.94770143926,
  });
  expect(ignored).toEqual(['tokenizer_id']);
});
