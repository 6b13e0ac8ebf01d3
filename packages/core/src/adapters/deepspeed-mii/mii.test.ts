import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/deepspeed-mii/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const report = JSON.parse(fixture('2024-stream.json'));

test('computes the figures of a run from its requests', () => {
  const [result] = read(fixture('2024-stream.json'));
  // 15 tokens in the 530 ms from the first request to the end of the last response.
  expect(result?.metrics).toMatchObject({ requests_ok: 4, requests_failed: 0, output_tokens: 15, duration_s: 0.53 });
  expect(result?.metrics.output_tok_s).toBeCloseTo(15 / 0.53, 6);
  expect(result?.metrics.ttft_ms_mean).toBeCloseTo(200, 6);
  expect(result?.metrics.itl_ms_mean).toBeCloseTo(230 / 11, 6);
  expect(result?.definitions).toMatchObject({ itl_ms: 'per_token', tpot_ms: 'without_first_token' });
  expect(result?.load).toEqual({ mode: 'concurrency', level: 2 });
  expect(result?.measuredAt).toBe('2023-11-14T22:13:20.000Z');
});

test('reads the engine and the GPUs of all replicas', () => {
  const [result] = read(fixture('2024-stream.json'));
  expect(result?.system).toMatchObject({
    model: { value: 'example-org/Example-7B', origin: 'stated' },
    engine: { value: 'deepspeed-mii', origin: 'stated' },
    gpuCount: { value: 4, origin: 'inferred' },
    parallelism: { tensor: 2, data: 2 },
  });
  expect(result?.scenario).toMatchObject({ inputTokens: { value: 1200 }, outputTokens: { value: 4 } });
});

test('reads quantization to FP6', () => {
  const [result] = read(JSON.stringify({ ...report, args: { ...report.args, fp6: true } }));
  expect(result?.system.quantization).toEqual({ value: 'fp6', origin: 'stated' });
});

// The file has the texts of the responses, not their tokens, and the default width of a server that was not started.
test('reads neither tokens nor GPUs of an endpoint', () => {
  const [result] = read(fixture('2024-endpoint.json'));
  expect(result?.metrics).toMatchObject({ requests_ok: 2, e2e_ms_mean: 260 });
  expect(Object.keys(result?.metrics ?? {})).not.toContain('output_tok_s');
  expect(Object.keys(result?.metrics ?? {})).not.toContain('ttft_ms_mean');
  expect(result?.system).toMatchObject({ engine: null, gpuCount: null, parallelism: {} });
});

test('gives no text of a prompt or a response', () => {
  expect(JSON.stringify(read(fixture('2024-stream.json')))).not.toContain('Example text');
});

test('rejects a truncated file, and a response that ends before its request', () => {
  expect(() => read(fixture('2024-stream.json').slice(0, -200))).toThrow();
  const [response, ...others] = report.response_details;
  const backwards = { ...report, response_details: [{ ...response, end_time: 1 }, ...others] };
  expect(() => read(JSON.stringify(backwards))).toThrow('/response_details/0/end_time is before start_time');
});

test("does not claim another tool's file", () => {
  const other = { args: report.args, response_details: [{ start_time: 1, end_time: 2 }] };
  expect(() => read(JSON.stringify(other))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
});
