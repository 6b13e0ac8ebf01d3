import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(encode(text)).results;

const metadata = { gpu_type: 'NVIDIA L4', gpu_count: 2, model_tag: 'example-org/example-8b', input_tokens: -1 };
const figures = {
  backend: 'vllm',
  dataset_name: 'sharegpt',
  duration: 100,
  completed: 40,
  total_input_tokens: 40_000,
  total_output_tokens: 20_000,
  request_throughput: 0.4,
  input_throughput: 400,
  output_throughput: 200,
  mean_e2e_latency_ms: 10_000,
  mean_ttft_ms: 500,
  p95_ttft_ms: 900,
  mean_tpot_ms: 19,
  mean_itl_ms: 19,
  concurrency: 4,
  accept_length: null,
};

interface Parts {
  client?: Record<string, unknown>;
  server?: Record<string, unknown>;
  results?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
}

function record({ client = {}, server = {}, results = {}, metadata: changes = {} }: Parts = {}): string {
  return JSON.stringify({
    config: { client_args: { num_prompts: 40, ...client }, server_args: server, server_cmd_args: [] },
    results: { ...figures, ...results },
    cmd: 'vllm serve example-org/example-8b --host 127.0.0.1',
    constraints: [],
    metadata: { ...metadata, ...changes },
  });
}

test('reads metrics in ms from the keys of SGLang, and the system from arguments and metadata', () => {
  const text = record({ client: { max_concurrency: 4 }, server: { tensor_parallel_size: 2, kv_cache_dtype: 'fp8' } });
  expect(read(text)[0]).toMatchObject({
    system: {
      model: { value: 'example-org/example-8b', origin: 'stated' },
      gpu: { value: 'NVIDIA L4', origin: 'stated' },
      gpuCount: { value: 2, origin: 'stated' },
      engine: { value: 'vllm' },
      parallelism: { tensor: 2 },
      features: { kv_cache_dtype: 'fp8' },
    },
    // -1 means unknown.
    scenario: { inputTokens: null, outputTokens: null, dataset: { value: 'sharegpt' } },
    load: { mode: 'concurrency', level: 4 },
    metrics: {
      requests_ok: 40,
      requests_failed: 0,
      duration_s: 100,
      req_s: 0.4,
      // Prompt tokens over the whole time, which is not a prefill speed.
      input_tok_s: 400,
      output_tok_s: 200,
      e2e_ms_mean: 10_000,
      ttft_ms_mean: 500,
      ttft_ms_p95: 900,
      tpot_ms_mean: 19,
      itl_ms_mean: 19,
    },
    definitions: { tpot_ms: 'without_first_token', itl_ms: 'per_chunk', e2e_ms: 'request' },
    extra: { measured_concurrency: 4 },
  });
});

test.each([
  [{ max_concurrency: 4 }, { mode: 'concurrency', level: 4 }],
  [{ max_concurrency: 40 }, { mode: 'burst', level: 40 }],
  [{}, { mode: 'burst', level: 40 }],
  [{ request_rate: 'inf' }, { mode: 'burst', level: 40 }],
  [{ request_rate: 0.4 }, { mode: 'rate', level: 0.4, burstiness: 1, maxConcurrency: null }],
  [{ request_rate: 'trace' }, null],
])('reads %j as the load %j', (client, load) => {
  expect(read(record({ client }))[0]?.load).toEqual(load);
});

test.each([
  ['vllm', {}, 'vllm', 'per_chunk'],
  ['sglang', {}, 'sglang', 'per_token'],
  ['sglang-oai', {}, 'sglang', 'per_chunk'],
  // Draft tokens were counted, so a gap may be divided among the tokens of a chunk.
  ['sglang-oai', { accept_length: 2.5 }, 'sglang', 'per_token'],
  // A protocol that every engine supports.
  ['openai-chat', {}, undefined, 'per_chunk'],
])('reads the engine and the ITL formula of backend %s', (backend, results, engine, definition) => {
  const [result] = read(record({ results: { backend, ...results } }));
  expect(result?.system.engine?.value).toBe(engine);
  expect(result?.definitions.itl_ms).toBe(definition);
});

test("reads SGLang's names for its arguments", () => {
  const server = { tp_size: 2, disable_radix_cache: true, quantization: 'fp8' };
  expect(read(record({ server, results: { backend: 'sglang' } }))[0]?.system).toMatchObject({
    quantization: { value: 'fp8', origin: 'stated' },
    parallelism: { tensor: 2 },
    features: { prefix_caching: false },
  });
});

test('omits TTFT and ITL if responses were not streamed, and defines TPOT with the first token', () => {
  const [result] = read(fixture('llm-optimizer/2025-12-not-streamed.json'));
  expect(Object.keys(result?.metrics ?? {}).filter((name) => /^(?:ttft|itl)_/.test(name))).toEqual([]);
  expect(result?.definitions).toEqual({ tpot_ms: 'with_first_token', e2e_ms: 'request' });
});

test('notes requests that did not complete', () => {
  const [result] = read(record({ client: { num_prompts: 50 } }));
  expect(result?.metrics).not.toHaveProperty('requests_failed');
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'requests_unaccounted' }));
});

test('reads an array of runs like lines of runs', () => {
  const runs = [record({ client: { max_concurrency: 4 } }), record({ client: { max_concurrency: 8 } })];
  const levels = (text: string) => read(text).map(({ load }) => load?.level);
  expect(levels(runs.join('\n'))).toEqual([4, 8]);
  expect(levels(`[${runs.join(',\n')}]`)).toEqual([4, 8]);
});

test.each([
  ['a run without completed requests', record({ results: { completed: 0 } }), '0 of 40 requests completed'],
  ['text instead of a figure', record({ results: { mean_tpot_ms: '19' } }), '/results/mean_tpot_ms: expected a number'],
  ['a truncated file', record().slice(0, -40), ''],
  ['a roofline', fixture('llm-optimizer/2025-12-estimate.refused.txt'), 'was computed, not measured'],
  [
    'a roofline with throughput only',
    '=== Performance Analysis ===\nBest Throughput (concurrency=512):\n  TTFT: 1.0 ms\n',
    'was computed, not measured',
  ],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(new RegExp(reason));
});

test('ignores a heading without its verdict', () => {
  const text = `=== Performance Analysis ===\nWe measured this:\n${record()}\n`;
  expect(read(text)).toHaveLength(1);
});

test("does not claim a line of SGLang's own client", () => {
  const { tool } = readArtifact(encode(fixture('sglang-bench-serving/2025-03-details.jsonl')));
  expect(tool.name).not.toBe('llm-optimizer');
});

const file = new URL('../../../../../../shared/real-results/llm_optimizer__qwen3-4b_c32.jsonl', import.meta.url);

test.skipIf(!existsSync(file))('raises no violation for the published record', () => {
  const { results } = readSubmission(readFileSync(file), { quantization: 'bf16' });
  expect(results[0]?.system.gpuCount).toBe(4);
  expect(results.flatMap(({ findings }) => findings).filter(({ severity }) => severity === 'violation')).toEqual([]);
});
