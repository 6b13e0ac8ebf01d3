import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { offlineLoad } from '../../subjects/load.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-bench-latency/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const record = { avg_latency: 2, latencies: [1.5, 2, 2.5], percentiles: { '10': 1.6, '50': 2, '99': 2.49 } };

test('reads the latency of a batch in ms, and its batches as repetitions', () => {
  const [result] = read(JSON.stringify(record));
  expect(result?.metrics).toEqual({ e2e_ms_mean: 2000, e2e_ms_p50: 2000, e2e_ms_p99: 2490 });
  expect(result?.extra).toEqual({ e2e_ms_p10: 1600 });
  expect(result?.definitions).toEqual({ e2e_ms: 'whole_batch' });
  // Squares of 500, 0 and 500, divided by n - 1 = 2.
  expect(result?.repeats).toEqual({ n: 3, sd: { e2e_ms_mean: 500 }, samples: { e2e_ms_mean: [1500, 2000, 2500] } });
});

test('has an unknown load, and does not assume the defaults of the program', () => {
  const [result] = read(JSON.stringify(record));
  expect(result).toMatchObject({ load: offlineLoad, scenario: { inputTokens: null, outputTokens: null } });
  expect(result?.metrics).not.toHaveProperty('output_tok_s');
  expect(result?.notes).toContainEqual(expect.objectContaining({ code: 'load_unknown', severity: 'warning' }));
});

test('reads the batch, its lengths and the system from the command', () => {
  const [result] = read(fixture('0.11-console.txt'));
  expect(result?.load).toEqual({ mode: 'batch', level: 16 });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 128 } });
  // 16 x 128 tokens in 1.253 s.
  expect(result?.metrics.output_tok_s).toBeCloseTo(1634.477, 3);
  expect(result?.system).toMatchObject({
    model: { value: 'example/Example-8B-FP8', origin: 'context' },
    parallelism: { tensor: 2 },
    gpuCount: { value: 2, origin: 'inferred' },
    features: { kv_cache_dtype: 'fp8', prefix_caching: false },
  });
  expect(result?.repeats?.n).toBe(8);
});

test('does not apply the command of one block to the next', () => {
  const block = fixture('0.11-console.txt');
  const [first, second] = read(`${block}${block.slice(block.indexOf('Avg')).replace('1.253', '1.254')}`);
  expect(first?.load?.mode).toBe('batch');
  expect(second?.load).toEqual(offlineLoad);
});

// Of https://github.com/EmbeddedLLM/vllm/issues/11, 2023-11, with another average; percentiles are printed since 2024-03.
test('reads an average without percentiles below the command of the program', () => {
  const command =
    'python benchmark_latency.py --model /data/llama2/hf_7B/ --input-len 512 --output-len 32 --batch-size 1\n';
  const [result] = read(`${command}Avg latency: 0.5 seconds\n`);
  expect(result?.metrics).toEqual({ e2e_ms_mean: 500, output_tok_s: 64 });
  expect(result?.load).toEqual({ mode: 'batch', level: 1 });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 512 }, outputTokens: { value: 32 } });
  expect(() => read('Avg latency: 0.5 seconds\n')).toThrow('No known tool');
});

test('has no deviation for a single measurement', () => {
  expect(read(JSON.stringify({ ...record, latencies: [2] }))[0]?.repeats).toMatchObject({ n: 1, sd: {} });
});

test.each([
  ['an average alone', 'Avg latency: 1.2 seconds\n'],
  ['a record without its latencies', '{"avg_latency": 1, "percentiles": {"50": 1}}'],
  ['console output cut before its first percentile', fixture('0.11-console.txt').split('10%')[0] ?? ''],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow(/No known tool was recognised|mentions "vllm bench latency"/);
});

test('rejects truncated and zero figures, each with its line', () => {
  expect(() => read(fixture('0.11-cut-and-zero.refused.txt'))).toThrow('2 errors');
});
