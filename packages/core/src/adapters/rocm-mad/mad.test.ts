import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/rocm-mad/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;

// https://github.com/ROCm/MAD/blob/HEAD/test_logs/perf_Kimi-K3.csv
test('reads the rows of one run as one result, with the server of its command', () => {
  const [result, ...others] = read(fixture('2026-atom.csv'));
  expect(others).toEqual([]);
  expect(result?.metrics).toEqual({
    total_tok_s: 68.20421075018477,
    output_tok_s: 8.090459471567009,
    ttft_ms_p50: 528.9972266182303,
    tpot_ms_p50: 25.388604126196313,
    itl_ms_p50: 22.784577682614326,
    e2e_ms_p50: 25387.157203629613,
  });
  expect(result?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 8192 }, outputTokens: { value: 1024 } });
  expect(result?.system).toMatchObject({
    model: { value: 'Kimi-K3', origin: 'stated' },
    gpuCount: { value: 8, origin: 'inferred' },
    engine: { value: 'atom' },
    parallelism: { tensor: 8 },
    features: { kv_cache_dtype: 'fp8', prefix_caching: false, max_num_seqs: 256 },
  });
});

test('reads serving, throughput and latency of one file, and omits a run that failed', () => {
  const results = read(fixture('2025-long.csv'));
  expect(results.map(({ load, metrics }) => [load, metrics])).toEqual([
    [
      { mode: 'concurrency', level: 8 },
      { total_tok_s: 2000, output_tok_s: 400, tpot_ms_p50: 19.5, itl_ms_p50: 19.4, e2e_ms_p50: 5100 },
    ],
    [
      { mode: 'concurrency', level: 16 },
      { total_tok_s: 3600, output_tok_s: 720, tpot_ms_p50: 21.5, itl_ms_p50: 21.4, e2e_ms_p50: 5700 },
    ],
    [
      { mode: 'burst', level: 1024, regime: 'offline' },
      { requests_ok: 1024, total_tok_s: 17000.5, output_tok_s: 16000 },
    ],
    // The file labels the latency "ms", but 2048 steps in 16 ms are impossible: run_vllm.py writes seconds.
    [
      { mode: 'batch', level: 4 },
      { e2e_ms_mean: 16384, output_tok_s: 500 },
    ],
  ]);
  expect(results[0]?.system.model?.value).toBe('example-org/Example-8B-Instruct-FP8');
  expect(results[3]?.notes).toMatchObject([{ code: 'unit_corrected' }]);
  expect(results.map(({ system }) => system.engine?.value)).toEqual(['vllm', 'vllm', 'vllm', 'vllm']);
});

test('reads the older layouts, whose latency is in ms, and knows the engine by the columns', () => {
  const results = read(fixture('2024-wide.csv'));
  expect(results.map(({ system, load, metrics }) => [system.engine?.value, load?.mode, metrics])).toEqual([
    ['vllm', 'batch', { e2e_ms_mean: 16384, output_tok_s: 500 }],
    ['vllm', 'burst', { requests_ok: 1024, total_tok_s: 17000, output_tok_s: 16000 }],
    [
      'vllm',
      'concurrency',
      {
        total_tok_s: 2000,
        output_tok_s: 400,
        ttft_ms_p50: 130.5,
        tpot_ms_p50: 19.5,
        itl_ms_p50: 19.4,
        e2e_ms_p50: 5100,
      },
    ],
    ['sglang', 'batch', { e2e_ms_mean: 16384, output_tok_s: 500 }],
    ['sglang', 'burst', { requests_ok: 1024, total_tok_s: 17000.5, output_tok_s: 16000.25 }],
  ]);
  expect(results.every(({ system }) => system.gpuCount?.value === 8)).toBe(true);
});

test('reads a repeated run that was appended to the file as a second result', () => {
  const [header = '', row = '', ...rows] = fixture('2026-atom.csv').trimEnd().split('\n');
  const changed = [row, ...rows].map((text) => text.replace(/,(\d+\.\d+),/, ',9$1,'));
  const results = read([header, row, ...rows, ...changed].join('\n'));
  expect(results.map(({ metrics }) => metrics.ttft_ms_p50)).toEqual([528.9972266182303, 9528.9972266182303]);
});

test('rejects a file in which every run failed or tested the accuracy', () => {
  const header = 'model,benchmark,tp,inp,out,dtype,num_prompts,max_concurrency,bs,cmd,performance,metric,unit\n';
  const accuracy = 'Example-8B,accuracy,1,,,auto,,,,vllm serve a/b,0.9,"exact_match,flexible-extract",percent\n';
  const failed = 'Example-8B,serving,1,1024,256,auto,80,8,,vllm serve a/b,,,\n';
  for (const rows of [accuracy, failed]) expect(() => read(header + rows)).toThrow('nothing was measured');
});

test('does not claim a CSV with other columns', () => {
  expect(() => read('model,tp,input_len,output_len,dtype,speed\na/b,1,2,3,float16,4\n')).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
