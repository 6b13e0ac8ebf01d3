import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/openvino-${name}`, import.meta.url), 'utf8');
const read = (text: string, options = {}) => readArtifact(new TextEncoder().encode(text), options);
const sizes = fixture('benchmark-genai/2025.4-sizes.txt');

// A log of OpenVINO 2025.4 with open_llama_7b
test('reads one prompt, and the model and version from the lines above the report', () => {
  const { tool, results, ignored } = read(sizes);
  expect(tool.name).toBe('benchmark_genai');
  expect(results).toEqual([
    expect.objectContaining({
      system: expect.objectContaining({
        model: { value: 'open_llama_7b_v2-int4-ov', origin: 'context' },
        quantization: { value: 'int4', origin: 'inferred' },
        engine: { value: 'openvino', origin: 'stated' },
        engineVersion: { value: '2025.4.1', origin: 'context' },
      }),
      scenario: expect.objectContaining({ lengths: { inputTokens: 6, outputTokens: 20 } }),
      load: { mode: 'batch', level: 1 },
      metrics: {
        ttft_ms_mean: 113.03,
        tpot_ms_mean: 60.44,
        e2e_ms_mean: 1262.09,
        decode_tok_s: 16.55,
        user_tok_s: 16.55,
      },
      definitions: {
        ttft_ms: 'prefill_only',
        tpot_ms: 'without_first_token',
        e2e_ms: 'whole_batch',
        decode_tok_s: 'in_process',
        user_tok_s: 'in_process',
      },
      repeats: null,
    }),
  ]);
  expect(ignored).toEqual(['Tokenization time', 'Detokenization time']);
});

// https://github.com/openvinotoolkit/openvino.genai/issues/875
test('omits the time per token of a single token', () => {
  const [result] = read(fixture('benchmark-genai/2024-09-one-token.txt')).results;
  expect(result?.metrics).toEqual({ ttft_ms_mean: 20.88, e2e_ms_mean: 21.88 });
  expect(result?.repeats).toEqual({ n: null, sd: { e2e_ms_mean: 1.2 }, samples: null });
});

// A log of benchmark_vlm.py
test('counts image tokens as input', () => {
  expect(read(fixture('benchmark-genai/2025.3-image.md')).results[0]).toMatchObject({
    system: { model: { value: 'Qwen3-VL-2B-Instruct' } },
    scenario: { lengths: { inputTokens: 667, outputTokens: 20 } },
    metrics: { ttft_ms_mean: 229.26, tpot_ms_mean: 13.52, user_tok_s: 73.97 },
  });
});

// The figures of https://github.com/openvinotoolkit/openvino.genai/pull/4253; the rule is in issue 4484.
test('corrects averages of a batch that are divided by it', () => {
  const { tool, results } = read(fixture('llm-bench/2026-batch-per-token.txt'));
  expect(tool.name).toBe('llm_bench');
  expect(results[0]).toMatchObject({
    system: { model: { value: 'example-7b' }, engineVersion: { value: '2026.2.1' } },
    load: { mode: 'batch', level: 2 },
    metrics: { ttft_ms_mean: 37.52, tpot_ms_mean: 23.88, decode_tok_s: 83.75, user_tok_s: 41.875 },
    notes: [{ code: 'batch_counted_twice' }],
  });
  expect(results[0]?.scenario.lengths).toBeUndefined();
});

test('reads averages of the steps of a batch, without a first latency that is multiplied by it', () => {
  const { results, ignored } = read(fixture('llm-bench/2025.0-batch-per-step.txt'));
  expect(results[0]).toMatchObject({
    load: { mode: 'batch', level: 2 },
    metrics: { tpot_ms_mean: 23.9, decode_tok_s: 83.68, user_tok_s: 41.84 },
    notes: [],
  });
  expect(results[0]?.metrics.ttft_ms_mean).toBeUndefined();
  expect(ignored).toContain('1st token latency');
});

// https://github.com/openvinotoolkit/openvino.genai/pull/1244
test('rejects averages of a batch whose meaning is unknown', () => {
  const alone = fixture('llm-bench/2024-11-batch.refused.txt');
  expect(() => read(alone)).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'batch_figures_unclear', line: 2 })] }),
  );
  const [result] = read(`[ INFO ] openvino runtime version: 2025.4.1-20426\n${alone}`).results;
  expect(result?.metrics).toEqual({
    ttft_ms_mean: 91.54,
    tpot_ms_mean: 69.81,
    decode_tok_s: 229.18,
    user_tok_s: 229.18 / 16,
  });
});

// The guide to llm_bench of the OpenVINO documentation
test('reads the older labels', () => {
  expect(read(fixture('llm-bench/2024-prompt.txt')).results[0]).toMatchObject({
    scenario: { lengths: { inputTokens: 7, outputTokens: null } },
    metrics: { ttft_ms_mean: 49.31, tpot_ms_mean: 31.16, decode_tok_s: 32.1, user_tok_s: 32.1 },
  });
});

test('counts iterations without the warm-up', () => {
  expect(read(fixture('llm-bench/2025-iterations.txt')).results).toEqual([
    expect.objectContaining({
      system: expect.objectContaining({ model: { value: 'example-7b', origin: 'context' } }),
      scenario: expect.objectContaining({ lengths: { inputTokens: 32, outputTokens: 256 } }),
      repeats: { n: 2, sd: {}, samples: null },
    }),
  ]);
});

test('rejects averages without a figure', () => {
  expect(() => read(fixture('llm-bench/2024-11-nothing.refused.txt'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'nothing_measured', line: 1 })] }),
  );
});

test('reads the complete lines of a truncated report', () => {
  const [result] = read(sizes.slice(0, sizes.indexOf('60.44') + 4)).results;
  expect(result?.metrics).toEqual({ ttft_ms_mean: 113.03, e2e_ms_mean: 1262.09 });
});

test.each([
  'Load time: 5.00 s\nTTFT: 20 ms\n',
  'model loaded. Load time: 12 ms\nTPOT: 5 ms\n',
  '[ INFO ] [Average] P[0] 1st step of unet latency: 5.00 ms/step, 2nd steps of unet latency: 4.00 ms/step, 2nd steps throughput: 250.00 steps/s\n',
  '[ INFO ] [Average] C[0] Input token size: 5, 1st token latency: 5.00 ms/token, 2nd token latency: 4.00 ms/token, 2nd tokens throughput: 250.00 tokens/s\n',
])('does not claim %j', (text) => {
  for (const tool of ['openvino-benchmark-genai', 'openvino-llm-bench'])
    expect(() => read(text, { tool })).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
