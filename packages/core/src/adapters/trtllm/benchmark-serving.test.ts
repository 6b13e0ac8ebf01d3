import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/trtllm-benchmark-serving/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const printed = fixture('1.1-command-and-drafts.txt');
const file = fixture('1.1-result.json');

const figures = {
  requests_ok: 50,
  requests_failed: 0,
  req_s: 5,
  output_tok_s: 640,
  total_tok_s: 5760,
  user_tok_s: 70.5,
  ttft_ms_mean: 120,
  tpot_ms_mean: 14.5,
  itl_ms_mean: 26,
  e2e_ms_mean: 1961.5,
};
const definitions = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  itl_ms: 'per_chunk',
  e2e_ms: 'request',
  user_tok_s: 'client',
};

test('reads a block with its command', () => {
  const [result] = read(printed);
  expect(result?.metrics).toMatchObject(figures);
  expect(result?.definitions).toEqual(definitions);
  expect(result?.load).toEqual({ mode: 'concurrency', level: 10 });
  expect(result?.system).toMatchObject({
    model: { value: 'nvidia/Llama-3.1-8B-Instruct-FP8', origin: 'context' },
    engine: { value: 'tensorrt-llm', origin: 'inferred' },
    // More than one token per step: draft tokens were accepted.
    features: { speculative_decoding: true },
  });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 1024 }, outputTokens: { value: 128 } });
  expect(result?.extra).toMatchObject({ tokens_per_step: 1.82, tokens_per_step_p50: 1.8, requests_sent: 50 });
});

test('reads the result file of the same run', () => {
  const [result] = read(file);
  expect(result?.metrics).toMatchObject(figures);
  expect(result?.definitions).toEqual(definitions);
  expect(result?.load).toEqual({ mode: 'concurrency', level: 10 });
  expect(result?.system.model).toEqual({ value: 'nvidia/Llama-3.1-8B-Instruct-FP8', origin: 'stated' });
  expect(result?.system.features).toEqual({ speculative_decoding: true });
});

test('has an unknown load and no speculative decoding for a block without its command', () => {
  const [result] = read(fixture('1.0-user-throughput.txt'));
  expect(result?.metrics.user_tok_s).toBe(623.1);
  expect(result?.system.features).toEqual({});
  expect(result?.load).toBeNull();
  expect(result?.notes.map(({ code }) => code)).toEqual(['load_unknown']);
});

test('notes a truncated block', () => {
  const [result] = read(printed.slice(0, printed.indexOf('P99 TPOT')));
  expect(result?.metrics.tpot_ms_mean).toBe(14.5);
  expect(result?.notes.map(({ code }) => code)).toContain('truncated');
});

test("does not claim vLLM's own record and block", () => {
  const { user_throughput: _a, avg_decoded_tokens_per_iter: _b, ...rest } = JSON.parse(file);
  const block = printed.replace(/(?:User throughput|M\w+ Request AR).*\n/g, '');
  for (const text of [JSON.stringify(rest), block])
    expect(() => readArtifact(new TextEncoder().encode(text), { tool: 'trtllm-benchmark-serving' })).toThrow(
      'not output of',
    );
});

test("reports errors of TensorRT-LLM's keys and of shared keys together", () => {
  expect(() => read(fixture('1.1-faults.refused.jsonl'))).toThrow('3 errors');
});
