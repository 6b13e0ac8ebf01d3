import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-pytorch-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const item = (name: string, values: unknown[], args: object = {}, info: object = {}, benchmark = 'vLLM benchmark') => ({
  benchmark: { name: benchmark, extra_info: { args: { model: 'org/name', ...args } } },
  model: { name: 'org/name' },
  metric: { name, benchmark_values: values, extra_info: info },
});

test('reads the items of a serving run like its result file', () => {
  const { tool, results } = read(fixture('0.10-serving.pytorch.json'));
  const plain = readFileSync(
    new URL('../../../fixtures/vllm-bench-serve-json/0.12-closed-loop.json', import.meta.url),
    'utf8',
  );
  expect(tool.name).toBe('vllm bench serve');
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual(read(plain).results[0]?.metrics);
  expect(results[0]?.load).toEqual({ mode: 'concurrency', level: 8 });
  expect(results[0]?.scenario).toMatchObject({
    inputTokens: { value: 512, origin: 'context' },
    outputTokens: { value: 32 },
    dataset: { value: 'random' },
  });
  expect(JSON.stringify(results)).not.toContain('private-host');
});

test('reads the engine arguments of latency and throughput', () => {
  const [latency, throughput] = read(fixture('0.10-latency-and-throughput.pytorch.jsonl')).results;
  expect(latency).toMatchObject({
    tool: { name: 'vllm bench latency + vllm bench throughput' },
    load: { mode: 'batch', level: 8 },
    // 8 x 128 tokens in 2 s.
    metrics: { e2e_ms_mean: 2000, output_tok_s: 512 },
    system: { parallelism: { tensor: 4 }, gpuCount: { value: 4, origin: 'inferred' }, quantization: { value: 'AWQ' } },
    repeats: { n: 4 },
  });
  expect(throughput).toMatchObject({
    load: { mode: 'burst', level: 200 },
    metrics: { req_s: 4, total_tok_s: 2000, duration_s: 50 },
    system: {
      quantization: { value: 'fp8', origin: 'context' },
      features: { prefix_caching: true, speculative_decoding: true },
    },
  });
  expect(throughput?.metrics).not.toHaveProperty('output_tok_s');
});

test('starts another run at a repeated metric', () => {
  const items = [1, 2].flatMap((value) => [item('mean_ttft_ms', [value]), item('p99_ttft_ms', [value * 2])]);
  expect(read(JSON.stringify(items)).results.map((result) => result.metrics)).toEqual([
    { ttft_ms_mean: 1, ttft_ms_p99: 2 },
    { ttft_ms_mean: 2, ttft_ms_p99: 4 },
  ]);
});

test('reads items with different arguments as different runs', () => {
  const items = [item('mean_ttft_ms', [1], { max_concurrency: 1 }), item('p99_ttft_ms', [2], { max_concurrency: 2 })];
  expect(read(JSON.stringify(items)).results).toHaveLength(2);
});

test('does not claim items of other programs', () => {
  expect(() => read(JSON.stringify([item('mean_ttft_ms', [1], {}, {}, 'TorchInductor')]))).toThrow('No known tool');
});

test('rejects invalid figures, each with its key', () => {
  expect(() => read(fixture('0.10-wrong-values.refused.pytorch.json'))).toThrow('3 errors');
});
