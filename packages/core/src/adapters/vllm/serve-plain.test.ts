import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/vllm-serve-plain/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const early = fixture('2024-03-plain-lines.txt');

test('reads the plain lines of early 2024 like current ones', () => {
  const [result] = read(early);
  expect(result?.metrics).toEqual({
    requests_ok: 10,
    duration_s: 2,
    input_tokens: 2000,
    output_tokens: 600,
    req_s: 5,
    input_tok_s: 1000,
    output_tok_s: 300,
    ttft_ms_mean: 812.33,
    ttft_ms_p50: 810,
    ttft_ms_p99: 900.1,
    tpot_ms_mean: 15.1,
    tpot_ms_p50: 15,
    tpot_ms_p99: 19.9,
  });
  expect(result?.system.model).toEqual({ value: 'example/Example-7B', origin: 'context' });
  expect(result?.load).toEqual({ mode: 'burst', level: 10 });
});

test('reads the averages of 2023 in seconds, and quotients by tokens as extra values', () => {
  const [first, second] = read(fixture('2023-06-averages.txt'));
  expect(first?.metrics).toEqual({ duration_s: 60, req_s: 5.9, e2e_ms_mean: 6700 });
  expect(first?.extra).toEqual({ e2e_per_token_ms_mean: 20, e2e_per_output_token_ms_mean: 110 });
  expect([first?.load?.mode, first?.load?.level]).toEqual(['rate', 6]);
  expect(second?.metrics.e2e_ms_mean).toBe(6900);
  // The command above the first block does not apply to the second.
  expect(second?.load).toBeNull();
});

// Published in AI-Hypercomputer/JetStream, pull request 83.
const jetStream = fixture('2024-05-jetstream-two-runs.txt');

test('reads the same lines of JetStream', () => {
  const results = read(jetStream);
  expect(results).toHaveLength(2);
  expect(results[0]?.metrics).toMatchObject({
    requests_ok: 1780,
    duration_s: 294.101467,
    output_tok_s: 1412.49,
    ttft_ms_mean: 114960.78,
    tpot_ms_p99: 132710.43,
  });
  expect(results[1]?.metrics).toMatchObject({ requests_ok: 100, output_tokens: 30175, tpot_ms_p50: 34.34 });
});

test('reads the total, lower-case labels and the time to the second token since 2025', () => {
  const later = jetStream
    .slice(0, jetStream.indexOf('LLAMA 2'))
    .replace('Mean TTFT', 'Overall token throughput: 2143.24 tokens/s\nMean TTFT')
    .replaceAll('TTFT', 'ttft')
    .replace('Mean TPOT', 'Mean ttst: 572.02 ms\nMedian ttst: 578.94 ms\nP99 ttst: 814.23 ms\nMean TPOT');
  const reading = readArtifact(new TextEncoder().encode(later));
  expect(reading.tool.name).toBe('JetStream benchmark_serving.py');
  expect(reading.results[0]?.metrics).toMatchObject({
    total_tok_s: 2143.24,
    ttft_ms_p99: 243659.12,
    tpot_ms_mean: 4429.77,
  });
  expect(reading.results[0]?.extra).toEqual({ ttst_ms_mean: 572.02, ttst_ms_p50: 578.94, ttst_ms_p99: 814.23 });
  expect(reading.results[0]?.system.engine).toEqual({ value: 'jetstream', origin: 'inferred' });
});

test('reads a truncated block up to its end', () => {
  const [result] = read(early.slice(0, early.indexOf('Median TPOT')));
  expect(result?.metrics.tpot_ms_mean).toBe(15.1);
  expect(result?.metrics).not.toHaveProperty('tpot_ms_p50');
});

test.each([
  ['a throughput of the offline program', 'Throughput: 5.90 requests/s, 100.00 tokens/s', 'vllm bench throughput'],
  ['common words', 'Total time: 60.00 s\nAverage latency: 6.70 s\n', ''],
  ['requests without a first token', 'Successful requests: 10\nBenchmark duration: 2 s\n', ''],
])('does not claim %s', (_, text, owner) => {
  if (owner === '') expect(() => read(text)).toThrow('No known tool');
  else expect(readArtifact(new TextEncoder().encode(text)).tool.name).toBe(owner);
});

test.each([
  ['a run in which nothing completed', fixture('2024-03-none-completed.refused.txt'), '0 requests completed'],
  ['a truncated figure', early.replace('812.33', '812…'), 'should be a number'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});
