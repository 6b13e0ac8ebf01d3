import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-mlx-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options);
const report = fixture('0.3-m4-pro.md');

// https://github.com/waybarrios/vllm-mlx/issues/531
test('reads the chip of a report, and latencies of sequential requests', () => {
  const { tool, results, ignored } = read(report);
  expect(tool.name).toBe('vllm-mlx-bench');
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'Qwen3-0.6B-8bit', origin: 'stated' },
      gpu: { value: 'Apple M4 Pro', origin: 'stated' },
      engine: { value: 'mlx', origin: 'stated' },
    },
    scenario: { lengths: { inputTokens: 11.2, outputTokens: 256 } },
    load: { mode: 'batch', level: 1 },
    metrics: {
      requests_ok: 5,
      ttft_ms_mean: 74.63276680064155,
      ttft_ms_p50: 75.06504199955089,
      tpot_ms_mean: 3.518496242349833,
      e2e_ms_mean: 971.8493085998489,
      prefill_tok_s: 147.31074763064856,
      user_tok_s: 284.21658575981587,
      total_tok_s: 274.8438471391309,
      req_s: 1.0286072123470469,
    },
    definitions: { ttft_ms: 'prefill_only', tpot_ms: 'without_first_token', user_tok_s: 'in_process' },
  });
  expect(ignored).toEqual(expect.arrayContaining(['memory_gb', 'bandwidth_gbs']));
});

test('rejects a report without a response', () => {
  expect(() => read(fixture('0.3-no-answer.refused.json'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'nothing_measured' })] }),
  );
});

test('rejects a truncated report, and text in place of a figure', () => {
  expect(() => read(report.slice(0, report.indexOf('"latency_seconds"')))).toThrow();
  expect(() => read(report.replace('274.8438471391309', '"274"'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_invalid' })] }),
  );
});

test.each(['{"type": "llm", "num_runs": 5, "ttft_ms": {"mean": 5}}', '{"type": "mllm", "results": []}'])(
  'does not claim %j',
  (text) => {
    expect(() => read(text, { tool: 'vllm-mlx-bench' })).toThrow(
      expect.objectContaining({ code: 'tool_unrecognised' }),
    );
  },
);

// README.md of waybarrios/vllm-mlx, commit 8fbc59e. The tool prints one more rule below.
const summary = fixture('2025-12-console-m4-max.txt');

test('reads the second column of a summary as a percentile or the maximum', () => {
  const { results, ignored } = read(summary);
  expect(results).toHaveLength(1);
  expect(results[0]?.metrics).toEqual({
    requests_ok: 10,
    input_tokens: 774,
    output_tokens: 2434,
    duration_s: 6.53,
    ttft_ms_mean: 60.5,
    ttft_ms_p95: 84.9,
    tpot_ms_mean: 2.18,
    tpot_ms_max: 2.21,
    decode_tok_s: 459.5,
    user_tok_s: 459.5,
    prefill_tok_s: 1068.3,
    e2e_ms_mean: 590,
    e2e_ms_p95: 650,
    total_tok_s: 491.3,
    req_s: 1.53,
  });
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'mlx-community/Llama-3.2-1B-Instruct-4bit', origin: 'stated' },
      gpu: { value: 'Apple M4 Max', origin: 'stated' },
      engine: { value: 'mlx', origin: 'stated' },
    },
    scenario: { lengths: { inputTokens: 77.4, outputTokens: 243.4 } },
    load: { mode: 'batch', level: 1 },
    definitions: { ttft_ms: 'prefill_only', e2e_ms: 'whole_batch' },
    extra: { peak_memory_gb: 0.91 },
    notes: [],
  });
  expect(ignored).toEqual(['Process Memory (peak)', 'MLX Cache Memory', 'System Memory']);
});

test('reads two summaries as two runs, and a summary with its report as one', () => {
  const other = summary
    .replace('6.53s', '4.86s')
    .replace('mlx-community/Llama-3.2-1B-Instruct-4bit', 'Qwen3-0.6B-8bit');
  expect(read(`${summary}${'='.repeat(60)}\n${other}`).results.map(({ metrics }) => metrics.duration_s)).toEqual([
    6.53, 4.86,
  ]);
  const same = other.replace('Qwen3-0.6B-8bit', '~/models/mlx-community/Qwen3-0.6B-8bit');
  expect(read(`${same}\n${report}`).results.map(({ metrics }) => metrics.duration_s)).toEqual([4.860941999999341]);
  expect(read(`${summary}\n${report}`).results).toHaveLength(2);
});

test('reads a truncated summary up to its end, and rejects a truncated figure with its line', () => {
  const [result] = read(summary.slice(0, summary.indexOf('Throughput:'))).results;
  expect(result?.metrics.ttft_ms_p95).toBe(84.9);
  expect(result?.metrics).not.toHaveProperty('total_tok_s');
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'truncated' })]);
  expect(() => read(summary.replace('1.53 req/s', '1.5'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_unreadable', line: 23 })] }),
  );
});
