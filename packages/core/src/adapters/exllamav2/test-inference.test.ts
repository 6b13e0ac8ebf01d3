import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/exllamav2-test-inference/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const phases = fixture('2024-04-both-phases.md');

// Published in the notes on AMD GPUs of llm-tracker.info, measured on a W7900.
test('reads generation by position and prompts by length', () => {
  const { results } = read(phases);
  expect(results).toHaveLength(5);
  expect(results[0]).toMatchObject({
    system: {
      model: { value: 'LoneStriker_Meta-Llama-3-70B-Instruct-4.0bpw-h6-exl2', origin: 'context' },
      quantization: { value: 'exl2 4.0bpw', origin: 'inferred' },
      engine: { value: 'exllamav2' },
    },
    scenario: { inputTokens: { value: 0 }, outputTokens: { value: 128 }, depth: 3968 },
    load: { mode: 'batch', level: 1 },
    metrics: { decode_tok_s: 7.0301, user_tok_s: 7.0301 },
  });
  expect(results[4]).toMatchObject({
    scenario: { inputTokens: { value: 8192 }, outputTokens: { value: 0 }, depth: null },
    metrics: { prefill_tok_s: 283.3092 },
  });
});

test('has no depth for the first row, which begins after one token', () => {
  const [result] = read(' ** Position     1 + 127 tokens:  142.2500 t/s\n').results;
  expect(result?.scenario).toMatchObject({ outputTokens: { value: 127 }, depth: null });
  expect(result?.system.model).toBeNull();
});

test('does not read a truncated speed, and rejects rows without one', () => {
  expect(() => read(' ** Length   128 tokens:    154.0')).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
  expect(() => read(' ** Length   128 tokens:    0.0000 t/s\n')).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ code: 'nothing_measured' })] }),
  );
});

// turboderp keeps each model's quantizations in folders below it: qwen3-32b/exl3/4.0bpw.
test('reads the model above a folder that names only the quantization', () => {
  const command = 'python test_inference.py -m /mnt/models/llama3-8b-instruct/exl2/4.0bpw/ -ps';
  const [result] = read(`${command}\n ** Length   128 tokens:    421.5912 t/s\n`).results;
  expect(result?.system).toMatchObject({
    model: { value: 'llama3-8b-instruct', origin: 'context' },
    quantization: { value: 'exl2 4.0bpw', origin: 'inferred' },
  });
});
