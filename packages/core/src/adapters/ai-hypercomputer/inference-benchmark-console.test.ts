import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/ai-hypercomputer-inference-benchmark/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
// Published in GoogleCloudPlatform/ai-on-gke, pull request 868, and AI-Hypercomputer/inference-benchmark, pull request 4.
const first = fixture('2024-11-console.txt');
const ofModel = fixture('2025-02-console-of-model.txt');

test('converts rates per minute to rates per second, and seconds to ms', () => {
  const [result] = read(first).results;
  expect(result?.metrics).toEqual({
    duration_s: 95.2,
    requests_ok: 60,
    requests_failed: 0,
    output_tok_s: 66.700333,
    input_tok_s: 43.770167,
    total_tok_s: 110.4705,
    ttft_ms_mean: 440,
    e2e_ms_mean: 6284.16,
  });
  expect(result?.definitions).toEqual({ ttft_ms: 'send_to_first_token', e2e_ms: 'request' });
  expect(result?.scenario.lengths).toEqual({ inputTokens: 69.45, outputTokens: 105.83 });
  expect(result?.notes).toEqual([expect.objectContaining({ code: 'load_unknown' })]);
  expect(result?.extra).toEqual({ e2e_per_token_ms_mean: 40, e2e_per_output_token_ms_mean: 65.38 });
});

test('reads the model from the heading', () => {
  const [result] = read(ofModel).results;
  expect(result?.system.model).toEqual({ value: 'deepseek-ai/DeepSeek-R1', origin: 'stated' });
  expect(result?.metrics).toMatchObject({ tpot_ms_mean: 80, itl_ms_mean: 80, ttft_ms_mean: 510, requests_ok: 120 });
  // A printed 0.08 s means 75 to 85 ms.
  expect(result?.tolerance?.share).toBeCloseTo(0.0833, 3);
});

test('skips figures of all requests if the model has its own, and reads the rate from the log above', () => {
  const { results, ignored } = read(fixture('2025-04-console-all-and-model.txt'));
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    load: { mode: 'rate', level: 2, burstiness: 1 },
    system: { model: { value: 'example-org/example-8b' } },
    metrics: { requests_ok: 118, requests_failed: 2, output_tok_s: 382.55 },
  });
  expect(ignored).toContain('the file of all requests, in addition to that of the model');
});

test('reads a truncated block up to its end', () => {
  const [result] = read(ofModel.slice(0, ofModel.indexOf('Average seconds/token'))).results;
  expect(result?.metrics.tpot_ms_mean).toBe(80);
  expect(result?.notes.map(({ code }) => code)).toContain('truncated');
});

test.each([
  ['a run in which nothing completed', fixture('2024-11-console-none.refused.txt'), '0 of 60 requests completed'],
  ['a truncated figure', first.replace('6284.16', '6284…'), 'should be a number'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(reason);
});

test('does not claim the averages of vLLM 2023, which begin with the same line', () => {
  const other = readFileSync(
    new URL('../../../fixtures/vllm-serve-plain/2023-06-averages.txt', import.meta.url),
    'utf8',
  );
  expect(read(other).tool.name).toBe('vllm bench serve');
});
