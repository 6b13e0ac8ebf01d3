import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/ollama-bench/${name}`, import.meta.url), 'utf8');
const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => readArtifact(encode(text)).results;

test('reads an epoch as a repetition, with rates of the server and TTFT of the client', () => {
  const { tool, results, ignored } = readArtifact(encode(fixture('2026-two-epochs.txt')));
  expect(tool.name).toBe('ollama-bench');
  expect(results.map(({ repetition }) => repetition)).toEqual([1, 2]);
  expect(results[0]).toMatchObject({
    // 2545.6 ms minus 500 ms of loading.
    metrics: {
      prefill_tok_s: 5000,
      decode_tok_s: 100,
      user_tok_s: 100,
      ttft_ms_mean: 45.123,
      e2e_ms_mean: 2045.6,
      requests_ok: 1,
    },
    definitions: { prefill_tok_s: 'in_process', decode_tok_s: 'in_process', ttft_ms: 'send_to_first_token' },
    system: {
      model: { value: 'example:8b', origin: 'stated' },
      quantization: { value: 'Q4_K_M', origin: 'stated' },
      engine: { value: 'ollama' },
      features: {},
    },
    load: { mode: 'concurrency', level: 1 },
    extra: { load_ms: 500, total_ms: 2545.6, params: 8e9, num_ctx: 4096 },
  });
  // Zeros were not measured. Only this version reports the prompt tokens.
  expect(results[1]?.metrics).toEqual({
    prefill_tok_s: 4000,
    decode_tok_s: 80,
    user_tok_s: 80,
    e2e_ms_mean: 2532,
    requests_ok: 1,
    input_tokens: 128,
  });
  expect(ignored).toEqual(['generate_server']);
});

test('reads counts from CSV, and times from the time per token', () => {
  const [first, second] = read(fixture('2026-two-models.csv'));
  expect(first?.metrics).toMatchObject({
    input_tokens: 128,
    output_tokens: 200,
    prefill_tok_s: 5000,
    decode_tok_s: 100,
    ttft_ms_mean: 45.123,
    e2e_ms_mean: 2045.6,
  });
  expect(second).toMatchObject({
    system: { model: { value: 'other:70b' }, features: { offload: true } },
    metrics: { decode_tok_s: 5, output_tokens: 50, e2e_ms_mean: 10_000 },
    repetition: 1,
  });
  expect(second?.metrics).not.toHaveProperty('prefill_tok_s');
});

test('reads the token counts of the first version from the run count', () => {
  expect(read(fixture('2025-old-benchstat.txt'))[0]?.metrics).toMatchObject({
    input_tokens: 128,
    output_tokens: 200,
    e2e_ms_mean: 2045.6,
  });
});

test('rejects an epoch without a rate, and figures without a unit', () => {
  expect(() => read(fixture('2026-faults.refused.txt'))).toThrow(
    expect.objectContaining({
      faults: [
        expect.objectContaining({ code: 'nothing_measured', line: 1 }),
        expect.objectContaining({ code: 'value_unreadable', line: 4 }),
        expect.objectContaining({ code: 'value_unreadable', line: 5 }),
      ],
    }),
  );
});

test('does not claim Go benchmarks of other programs', () => {
  const text = 'BenchmarkDecode/name=x-8   1000   1234 ns/op   80.00 token/sec\n';
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
