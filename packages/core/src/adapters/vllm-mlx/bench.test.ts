import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-mlx-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options);
const report = fixture('0.3-m4-pro.md');

// https://github.com/waybarrios/vllm-mlx/issues/531
test('a report names the chip and the time of one sequence after another', () => {
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

test('a report without an answer is refused', () => {
  expect(() => read(fixture('0.3-no-answer.refused.json'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'nothing_measured' })] }),
  );
});

test('a report that was cut, or has text for a figure, is refused', () => {
  expect(() => read(report.slice(0, report.indexOf('"latency_seconds"')))).toThrow();
  expect(() => read(report.replace('274.8438471391309', '"274"'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'value_invalid' })] }),
  );
});

test.each(['{"type": "llm", "num_runs": 5, "ttft_ms": {"mean": 5}}', '{"type": "mllm", "results": []}'])(
  '%j is not ours',
  (text) => {
    expect(() => read(text, { tool: 'vllm-mlx-bench' })).toThrow(
      expect.objectContaining({ code: 'tool_unrecognised' }),
    );
  },
);
