import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/sglang-bench-offline-throughput/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const figures = {
  requests_ok: 64,
  duration_s: 16,
  input_tokens: 32768,
  output_tokens: 8192,
  req_s: 4,
  input_tok_s: 2048,
  output_tok_s: 512,
  total_tok_s: 2560,
};

test('reads the rates of a block, but not the last gauge value', () => {
  const [first, second] = read(fixture('2026-04-two-runs.md'));
  expect(first?.metrics).toEqual(figures);
  expect(first?.extra).toEqual({ backend: 'engine', last_gen_throughput: 900.5 });
  expect(first?.load).toEqual({ mode: 'burst', level: 64, regime: 'offline' });
  expect(first?.system).toMatchObject({
    model: { value: 'Qwen/Qwen3-0.6B', origin: 'context' },
    features: { prefix_caching: false },
  });
  expect(first?.scenario.dataset).toEqual({ value: 'random', origin: 'context' });
  // The second run has no command.
  expect(second?.system.model).toBeNull();
});

test('reads a line, also without output counts of the engine', () => {
  const [counted, uncounted] = read(fixture('2025-03-gauge-and-uncounted.jsonl'));
  expect(counted?.metrics).toEqual(figures);
  expect(uncounted?.metrics).toEqual({
    requests_ok: 64,
    duration_s: 16,
    input_tokens: 32768,
    req_s: 4,
    input_tok_s: 2048,
  });
  expect(uncounted?.extra.last_gen_throughput).toBeUndefined();
});

test('reads the total throughput from the dict of November 2024', () => {
  const [result] = read(fixture('2024-11-printed-dict.txt'));
  // 1960 + 2760 tokens in 8 s
  expect(result?.metrics).toEqual({
    duration_s: 8,
    input_tokens: 1960,
    output_tokens: 2760,
    output_tok_s: 345,
    total_tok_s: 590,
  });
  expect(result?.load).toEqual({ mode: 'burst', level: 10, regime: 'offline' });
  expect(result?.system.model?.value).toBe('meta-llama/Llama-3.1-8B-Instruct');
});

test('reads a truncated block up to its end, and rejects one without a rate', () => {
  const text = fixture('2025-03-cut.txt');
  expect(read(text)[0]?.notes.map(({ code }) => code)).toEqual(['truncated']);
  const { total_tok_s: _total, ...rest } = figures;
  expect(read(text)[0]?.metrics).toMatchObject({ req_s: rest.req_s, input_tok_s: rest.input_tok_s });
  expect(() => read(text.slice(0, text.indexOf('Benchmark duration')))).toThrow('before its first rate');
  expect(() => read(text.replace('2048.00', '2,0…'))).toThrow('should be a number');
});

test('reports every error of every line with its key', () => {
  try {
    read(fixture('2025-03-faults.refused.jsonl'));
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    expect(error.faults.map(({ line, pointer }) => `${line} ${pointer ?? ''}`)).toEqual([
      '1 ',
      '2 /successful_requests',
      '2 /total_latency',
      '3 /total_latency',
    ]);
  }
});

test('does not claim a dict of another program', () => {
  const other = "{'run_name': 'a', 'batch_size': 4, 'total_latency': 8.0, 'total_input_tokens': 5, 'throughput': 5.0}";
  expect(() => read(other)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
