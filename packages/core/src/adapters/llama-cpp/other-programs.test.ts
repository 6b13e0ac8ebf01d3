import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';
import { engineOfType } from './figures.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/llama-bench/${name}`, import.meta.url));
const bytes = fixture('2026-07-quant-column.md');
const facts = { model: 'unspecified', gpu: 'rtx-4090' };

// llama-tornado prints the table of llama-bench with one more column: https://github.com/beehive-lab/GPULlama3.java/pull/133
test('infers the engine of a table with a column that llama-bench does not have, and reads its quantization', () => {
  const [prefill, decode, other] = readSubmission(bytes, facts).results;
  expect(prefill?.metrics).toEqual({ prefill_tok_s: 107.7 });
  expect(decode?.metrics).toMatchObject({ decode_tok_s: 109.6 });
  expect(prefill?.system.quantization.id).toBe('fp16');
  expect(other?.system.quantization.id).toBe('gguf-q8_0');
  expect(prefill?.findings.map(({ message }) => message)).toContain(
    'The engine was inferred from the artifact: "llama.cpp". If it is different, state it.',
  );
});

test('accepts another engine for it', () => {
  const [result] = readSubmission(bytes, { ...facts, engine: 'GPULlama3.java' }).results;
  expect(result?.system.engine.name).toBe('GPULlama3.java');
});

// llama.cpp has no IQ2_KS: https://github.com/ikawrakow/ik_llama.cpp/pull/85
test('infers ik_llama.cpp from a file type that only it has, for the whole table', () => {
  const { results } = readSubmission(fixture('b3600-ik-file-type.md'), { model: 'unspecified', gpu: 'unspecified' });
  expect(results.map(({ system }) => system.engine.name)).toEqual(['ik_llama.cpp', 'ik_llama.cpp']);
});

// The speed of generation is from https://github.com/ikawrakow/ik_llama.cpp/pull/278. The fields n_prompt and n_gen are those of pp512+tg64.
test('reads tokens generated after a prompt that was not timed', () => {
  const { results } = readSubmission(fixture('b3595-ik-generation-after-prompt.jsonl'), { gpu: 'unspecified' });
  const [generation, prefill] = results;
  expect(generation?.metrics).toEqual({ decode_tok_s: 8.87, user_tok_s: 8.87 });
  expect(generation?.scenario).toMatchObject({ inputTokens: 0, outputTokens: 64, depth: 512 });
  expect(generation?.system).toMatchObject({ engine: { name: 'ik_llama.cpp' }, features: { mla: 3 } });
  expect(prefill?.metrics).toEqual({ prefill_tok_s: 85.33 });
  expect(prefill?.system.features).toMatchObject({ mla: 2 });
});

test.each([
  ['llama 8B IQ4_KS - 4.25 bpw', 'ik_llama.cpp'],
  ['llama 8B IQ2_BN_R4 - 2.00 bpw Bitnet', 'ik_llama.cpp'],
  ['deepseek2 671B Q4_K_R4', 'ik_llama.cpp'],
  ['llama 7B BF16_R16', 'ik_llama.cpp'],
  ['llama 8B Q8_K_R8', 'ik_llama.cpp'],
  ['llama 8B TL2', 'bitnet.cpp'],
  ['llama 70B Q4_K - Medium', null],
  ['llama 8B IQ4_XS - 4.25 bpw', null],
  ['llama 8B IQ2_M - 2.7 bpw', null],
  ['llama 8B Q4_0_4_4', null],
  ['gpt-oss 20B MXFP4 MoE', null],
])('%s: only of %s', (printed, expected) => {
  expect(engineOfType(printed)).toBe(expected);
});

// From an issue of microsoft/BitNet; its llama-bench prints llama.cpp's table.
test("reads bitnet.cpp's file types, and infers the engine", () => {
  const { results } = readSubmission(fixture('2025-bitnet.md'), { model: 'microsoft/bitnet-b1.58-2B-4T', gpu: 'none' });
  expect(results.map(({ metrics }) => metrics.prefill_tok_s ?? metrics.decode_tok_s)).toEqual([26.37, 26.92]);
  expect(results[0]?.system).toMatchObject({
    engine: { id: 'bitnet.cpp' },
    quantization: { name: 'I2_S - 2 bpw ternary' },
  });
});
