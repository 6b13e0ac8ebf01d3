import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/llmfit-bench/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
// Published in AlexsJones/llmfit, llmfit-core/data/community.
const ollama = fixture('1.1-ollama.json');
const vllm = fixture('1.1-vllm.json');

test("reads the rates of Ollama's server, and no latency from its times", () => {
  const { tool, results } = read(ollama);
  expect(tool).toEqual({ name: 'llmfit', version: '1.1.6' });
  expect(results).toHaveLength(39);
  expect(results[0]).toMatchObject({
    metrics: { user_tok_s: 161.81, decode_tok_s: 161.81, requests_ok: 10 },
    definitions: { user_tok_s: 'in_process', decode_tok_s: 'in_process' },
    scenario: { dataset: { value: 'llmfit' }, lengths: { inputTokens: null, outputTokens: 169.5 } },
    load: { mode: 'concurrency', level: 1 },
    system: { model: { value: 'llama3.2:3b' }, engine: { value: 'ollama' }, gpu: { value: 'Apple M5 Max' } },
    extra: { total_ms_mean: 1206.53, prompt_eval_ms_mean: 34.08, tok_s_min: 160.68, tok_s_max: 163.22 },
  });
  expect(results[0]?.metrics).not.toHaveProperty('e2e_ms_mean');
});

test('reads the latency of whole requests to other servers', () => {
  const [result] = read(vllm).results;
  // 152.67 tokens in 2404.17 ms.
  expect(result?.metrics).toEqual({ e2e_ms_mean: 2404.17, output_tok_s: 63.5022, requests_ok: 3 });
  expect(result?.extra).toEqual({ request_tok_s_mean: 63.07, tok_s_min: 61.57, tok_s_max: 64.21 });
});

// The file states the GPUs of the machine; the server may use fewer.
test('infers a number of GPUs above 1', () => {
  expect(read(vllm).results[0]?.system.gpuCount).toEqual({ value: 2, origin: 'inferred' });
  expect(read(ollama).results[0]?.system.gpuCount).toEqual({ value: 1, origin: 'stated' });
});

test('reads a machine without a GPU', () => {
  const text = vllm.replace('DISCRETE_GPU', 'CPU_ONLY').replace('"NVIDIA GeForce RTX 3090"', 'null');
  const [result] = read(text).results;
  expect(result?.system).toMatchObject({ gpu: { value: 'AMD Ryzen 9 5900X 12-Core Processor' }, gpuCount: null });
});

// The layout of `llmfit bench --json`, with the figures of the shared file; the prompt lengths are invented.
test('reads the printed document, which has the lengths of prompts and no hardware', () => {
  const run = (prompt_tokens: number) => ({
    ...{ ttft_ms: null, tps: 63.07, total_ms: 2404.17, prompt_tokens, output_tokens: 153 },
  });
  const summary = {
    ...{ num_runs: 2, avg_ttft_ms: null, avg_tps: 63.07, min_tps: 61.57, max_tps: 64.21 },
    ...{ avg_total_ms: 2404.17, avg_output_tokens: 152.67 },
  };
  const benchmark = { model: 'm.gguf', provider: 'llamacpp', summary, runs: [run(18), run(24)] };
  const [result] = read(JSON.stringify({ benchmark })).results;
  expect(result).toMatchObject({
    metrics: { e2e_ms_mean: 2404.17, output_tok_s: 63.5022, requests_ok: 2 },
    scenario: { lengths: { inputTokens: 21, outputTokens: 152.67 } },
    system: { model: { value: 'm.gguf' }, engine: { value: 'llama.cpp' }, gpu: null },
  });
});

test('rejects a file whose figures are not numbers', () => {
  expect(() => read(vllm.replace('2404.17', '"fast"'))).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ pointer: '/results/0/avgTotalMs' })] }),
  );
});

test.each([
  ['a truncated file', vllm.slice(0, 400)],
  ["a file of another tool's name", vllm.replace('"llmfit"', '"other"')],
])('does not claim %s', (_, text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
