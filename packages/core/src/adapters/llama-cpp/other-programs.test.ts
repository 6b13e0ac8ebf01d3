import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';

const bytes = readFileSync(new URL('../../../fixtures/llama-bench/2026-07-quant-column.md', import.meta.url));
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
