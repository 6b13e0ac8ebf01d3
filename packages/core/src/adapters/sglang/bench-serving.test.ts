import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/sglang-bench-serving/${name}`, import.meta.url), 'utf8');
const reading = (text: string) => readArtifact(new TextEncoder().encode(text));
const read = (text: string) => reading(text).results;
const line: Record<string, unknown> = JSON.parse(fixture('2024-08-rate-and-burst.jsonl').split('\n')[0] ?? '');
const lineWith = (changes: object) => JSON.stringify({ ...line, ...changes });
const serverInfo = fixture('2026-06-server-info.jsonl');
const blocks = fixture('0.5.5-two-blocks.md');
const cut = fixture('0.4.0-command-and-cut.txt');

function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.faults.map(({ line: at, pointer }) => `${at} ${pointer ?? ''}`);
  }
  throw new Error('was read, and should not have been');
}

test('reads model, engine, parallelism and features from server_info', () => {
  const [result] = read(serverInfo);
  expect(result?.system).toMatchObject({
    model: { value: 'meta-llama/Llama-3.1-8B-Instruct', origin: 'stated' },
    quantization: { value: 'fp8', origin: 'stated' },
    engine: { value: 'sglang', origin: 'stated' },
    engineVersion: { value: '0.5.5.post3', origin: 'stated' },
    // Data parallel attention uses the four GPUs of the tensor parallel group.
    gpuCount: { value: 4, origin: 'inferred' },
    parallelism: { tensor: 4, pipeline: 1, data: 2, expert: 1 },
    features: {
      prefix_caching: true,
      kv_cache_dtype: 'fp8_e4m3',
      speculative_decoding: true,
      speculative_algorithm: 'EAGLE',
      draft_tokens: 4,
    },
  });
  expect(result?.load).toEqual({ mode: 'concurrency', level: 8 });
  // Ratio 1: every request has the requested length.
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 512 }, outputTokens: { value: 128 } });
  expect(result?.metrics).toMatchObject({
    req_s: 3.2,
    input_tok_s: 1638.4,
    output_tok_s: 409.6,
    total_tok_s: 2048,
    ttft_ms_mean: 150,
    ttft_ms_p90: 165,
    e2e_ms_p95: 2803.125,
    itl_ms_sd: 6.5,
  });
  expect(result?.extra).toMatchObject({ acc_length: 2.75, cache_hit_rate_percent: 25, measured_concurrency: 7.8 });
  expect(JSON.stringify(reading(serverInfo))).not.toMatch(/gpu-node|snapshots/);
});

test('reads the field names of July 2024 in ms, without a response count', () => {
  const [result] = read(fixture('2024-07-short-names.jsonl'));
  expect(result?.metrics).toEqual({
    input_tokens: 64000,
    output_tokens: 32000,
    duration_s: 20,
    output_tok_s: 1600,
    e2e_ms_mean: 9000.5,
    e2e_ms_p50: 9100.25,
    ttft_ms_p50: 1200.5,
    itl_ms_p50: 31.25,
  });
  expect(result?.load).toBeNull();
  // Lengths range from half to the whole, so no request is certain to have it.
  expect(result?.scenario.inputTokens).toBeNull();
});

describe('load and workload of a line', () => {
  test.each([
    ['a finite rate', { request_rate: 2 }, { mode: 'rate', level: 2, burstiness: 1, maxConcurrency: null }],
    [
      'a rate under a cap',
      { request_rate: 2, max_concurrency: 16 },
      { mode: 'rate', level: 2, burstiness: 1, maxConcurrency: 16 },
    ],
    ['no rate, and a cap that binds', { request_rate: 'inf', max_concurrency: 99 }, { mode: 'concurrency', level: 99 }],
    [
      'no rate, and a cap that never binds',
      { request_rate: 'inf', max_concurrency: 100 },
      { mode: 'burst', level: 100 },
    ],
    ['no rate and no cap', { request_rate: 'inf' }, { mode: 'burst', level: 100 }],
    ['a recorded trace', { request_rate: 'trace' }, null],
  ])('%s', (_, changes, expected) => {
    expect(read(lineWith(changes))[0]?.load).toEqual(expected);
  });

  test('reads Infinity as written by Python', () => {
    const text = lineWith({ request_rate: 'X' }).replace('"X"', 'Infinity');
    expect(read(text)[0]?.load).toEqual({ mode: 'burst', level: 100 });
  });

  test('ignores length defaults of another data set', () => {
    const ratio = { random_range_ratio: 1 };
    expect(read(lineWith(ratio))[0]?.scenario).toMatchObject({ inputTokens: null, outputTokens: null });
    const random = read(lineWith({ ...ratio, dataset_name: 'random' }))[0]?.scenario;
    expect(random).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 1024 } });
    const sharegpt = read(lineWith({ sharegpt_output_len: 64 }))[0]?.scenario;
    expect(sharegpt).toMatchObject({ dataset: { value: 'sharegpt' }, outputTokens: { value: 64 } });
  });

  test.each([
    ['sglang', 'sglang', 'per_token'],
    ['sglang-oai-chat', 'sglang', 'per_chunk'],
    ['vllm', 'vllm', 'per_chunk'],
    ['trt', 'tensorrt-llm', 'per_chunk'],
    ['truss', undefined, 'per_chunk'],
  ])('reads the engine and the ITL formula of backend %s', (backend, engine, gaps) => {
    const [result] = read(lineWith({ backend }));
    expect(result?.system.engine?.value).toBe(engine);
    expect(result?.definitions.itl_ms).toBe(gaps);
  });
});

test('reads lists as requests, without texts, and keeps only the kind of an error', () => {
  const text = fixture('2025-03-details.jsonl');
  const [result] = read(text);
  expect(result?.requests).toEqual([
    {
      sentS: null,
      inputTokens: 10,
      cachedTokens: null,
      outputTokens: 3,
      maxTokens: null,
      ttftMs: 100,
      e2eMs: expect.closeTo(150, 9),
      gapsMs: [20, 30],
      error: null,
    },
    expect.objectContaining({ outputTokens: 1, ttftMs: 200, e2eMs: 200, gapsMs: [], error: null }),
    expect.objectContaining({ outputTokens: null, ttftMs: null, e2eMs: null, error: 'ServerDisconnectedError' }),
  ]);
  expect(result?.load).toEqual({ mode: 'burst', level: 3 });
  expect(JSON.stringify(reading(text))).not.toContain('someone');
});

test('applies a command to the first of two blocks only', () => {
  const [first, second] = read(blocks);
  expect(first?.system.model).toEqual({ value: 'meta-llama/Llama-3.1-8B-Instruct', origin: 'context' });
  expect(first?.load).toEqual({ mode: 'rate', level: 4, burstiness: 1, maxConcurrency: 16 });
  expect(first?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 256 } });
  expect(first?.metrics).toMatchObject({ requests_failed: 0, itl_ms_p95: 33, itl_ms_max: 201.5, tpot_ms_mean: 11 });
  // If the acceptance length is counted, an OpenAI protocol can distinguish tokens from chunks.
  expect(first?.definitions.itl_ms).toBe('per_token');
  expect(first?.system.features).toEqual({ speculative_decoding: true, prefix_caching: true });
  expect(first?.extra).toMatchObject({ peak_output_tok_s: 1400, acc_length: 2.1 });
  expect(first?.notes).toContainEqual(expect.objectContaining({ code: 'output_retokenized' }));
  expect(second?.system.model).toBeNull();
  expect(second?.load).toEqual({ mode: 'burst', level: 10 });
});

test('notes fewer responses than prompts in a truncated block with its command', () => {
  const [result] = read(cut);
  expect(result?.system.model).toEqual({ value: 'Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4', origin: 'context' });
  expect(result?.system.quantization?.value).toMatch(/gptq-int4/i);
  expect(result?.load).toEqual({ mode: 'burst', level: 500 });
  expect(result?.metrics).toMatchObject({ requests_ok: 480, ttft_ms_mean: 9000.75 });
  expect(result?.metrics.requests_failed).toBeUndefined();
  expect(result?.notes.map(({ code }) => code)).toEqual(['truncated', 'requests_unaccounted']);
});

// https://github.com/sgl-project/sglang/pull/14098
test('reads load and figures if only the banner has a quote mark', () => {
  const [result] = read(fixture('2025-11-quote-and-cut.txt'));
  expect(result?.load).toMatchObject({ mode: 'rate', level: 8 });
  expect(result?.metrics).toMatchObject({ req_s: 7.43, ttft_ms_mean: 123.39, tpot_ms_p50: 33.72 });
  expect(result?.metrics).not.toHaveProperty('tpot_ms_p99');
});

// https://github.com/sgl-project/sgl-cookbook/blob/main/docs/autoregressive/GLM/GLM-4.7-Flash.md
describe('code around a report', () => {
  test('is not read as broken JSON', () => {
    const [result, ...others] = read(fixture('0.5.8-after-example.md'));
    expect(others).toEqual([]);
    expect(result?.metrics).toMatchObject({ requests_ok: 10, output_tok_s: 108.37, e2e_ms_mean: 3891.12 });
  });

  test.each([
    ['with figures', '{"completed": 3, "duration": 1.5, "request_throughput": 2, "output_throughput": 9, oops}\n\n'],
    ['at the end of the artifact', '{"completed": 3, "dura'],
  ])('a broken record %s causes a rejection', (_, broken) => {
    const text = fixture('0.5.5-two-blocks.md');
    expect(() => read(`${text}\n${broken}`)).toThrow('JSON');
  });
});

describe('responses that were not streamed', () => {
  const text = fixture('0.3-not-streamed.txt');
  const names = (changed: string) =>
    Object.keys(read(changed)[0]?.metrics ?? {}).filter((name) => name.includes('_ms'));

  test('have only E2E latencies if gaps are zero', () => {
    expect(names(text)).toEqual(['e2e_ms_mean', 'e2e_ms_p50']);
  });

  test('have a TPOT with the first token if TTFT is zero', () => {
    const zero = text.replace('2074.09', '0.00').replace('606.88', '0.00').replace('15089.74', '0.00');
    expect(names(zero).filter((name) => name.startsWith('tpot'))).toHaveLength(3);
    expect(read(zero)[0]?.definitions.tpot_ms).toBe('with_first_token');
  });

  test('have a TTFT but no ITL if they have one token', () => {
    const single = text.replace(/generated tokens:( +)22000/, 'generated tokens:$1100');
    expect(names(single)).toContain('ttft_ms_mean');
  });
});

// https://github.com/kvcache-ai/ktransformers/blob/main/doc/en/Kimi-K2-Thinking.md
test('reads the commands of several blocks in their order, if all commands precede the blocks', () => {
  const text = fixture('0.5.6-commands-first.md');
  const lengths = (changed: string) =>
    read(changed).map(({ scenario }) => [scenario.inputTokens?.value, scenario.outputTokens?.value]);
  expect(lengths(text)).toEqual([
    [1024, 1],
    [10, 512],
  ]);
  // One block after two commands may be of either.
  expect(lengths(text.slice(0, text.indexOf('### Bench decode')))).toEqual([[undefined, undefined]]);
});

test('has an unknown load if the commands before a block differ in the cap, and the block does not print it', () => {
  const block = `${blocks.slice(blocks.indexOf('===='), blocks.indexOf('Concurrency:'))}\n`.replace(
    /Max re\w+ concurrency.*\n/,
    '',
  );
  const before = (cap: number) => `python3 -m sglang.bench_serving --model a/b --max-concurrency ${cap}\n`;
  const first = (text: string) => read(text)[0];
  expect(first(`${before(4)}${before(8)}${block}`)?.load).toBeNull();
  expect(first(`${before(4)}${before(4)}${block}`)?.load).toMatchObject({ maxConcurrency: 4 });
  expect(first(`${before(4)}${before(8)}${block}`)?.system.model?.value).toBe('a/b');
});

test('does not note retokenized counts within 5 %', () => {
  const codes = (again: number) =>
    read(lineWith({ total_output_tokens_retokenized: again }))[0]?.notes.map(({ code }) => code);
  expect(codes(13650)).not.toContain('output_retokenized');
  expect(codes(13651)).toContain('output_retokenized');
});

test('reports every error of every line with its line and key', () => {
  expect(faultsOf(fixture('2025-03-faults.refused.jsonl'))).toEqual([
    '2 /request_rate',
    '2 /completed',
    '3 /mean_e2e_latency_ms',
    '4 /backend',
    '5 /ttfts',
    '6 ',
    '7 ',
  ]);
});

test.each([
  ['a run without successful requests', fixture('0.4.4-all-failed.refused.txt'), '0 of 20 requests completed'],
  [
    'a block that ends before its first rate',
    blocks.slice(0, blocks.indexOf('Request throughput')),
    'before its first rate',
  ],
  ['a truncated figure', blocks.replace('3938.46', '39…'), 'should be a number'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});

test('does not claim records and blocks of sibling tools', () => {
  const { backend: _, ...rest } = line;
  const vllm = JSON.stringify({ ...rest, num_prompts: 100, model_id: 'a/b', mean_ttft_ms: 5 });
  for (const text of [vllm, lineWith({ num_prompts: 5 })])
    expect(() => readArtifact(new TextEncoder().encode(text), { tool: 'sglang-bench-serving' })).toThrow(
      'not output of',
    );
});

test('reads a line with reordered or missing fields without wrong values, or rejects it', () => {
  const keys = Object.keys(line);
  fc.assert(
    fc.property(fc.shuffledSubarray(keys, { minLength: keys.length - 3 }), (order) => {
      const text = JSON.stringify(Object.fromEntries(order.map((key) => [key, line[key]])));
      try {
        const metrics: Record<string, number> = read(text)[0]?.metrics ?? {};
        for (const [name, value] of Object.entries(read(lineWith({}))[0]?.metrics ?? {}))
          if (name in metrics) expect(metrics[name]).toBe(value);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }),
  );
});
