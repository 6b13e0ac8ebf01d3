import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';

const read = (name: string) =>
  readSubmission(readFileSync(new URL(`../../../fixtures/genai-perf/${name}`, import.meta.url)), {
    gpu: 'h100-sxm',
    quantization: 'bf16',
  }).results[0];

// Without a rate and a number of users, GenAI-Perf sends one request at a time. Its log names the folder after it.
// https://github.com/triton-inference-server/perf_analyzer/issues/393
test('reads the load from the folder if the command states none', () => {
  const result = read('2025-log-default-load.txt');
  expect(result?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(result?.system.model.id).toBe('qwen3-14b');
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 1193.02, output_tok_s: 44.63, requests_ok: 7 });
});

// The example of the README of mid 2024, when the program had no subcommands.
test('reads a command without a subcommand', () => {
  const result = read('24.06-no-subcommand.txt');
  expect(result?.load).toEqual({ mode: 'concurrency', level: 1 });
  expect(result?.system.model.id).toBe('gpt2');
  expect(result?.metrics).toMatchObject({ ttft_ms_mean: 13.266974, e2e_ms_p99: 238.198306, output_tok_s: 460.42 });
});
