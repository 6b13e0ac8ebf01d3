import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../../submission/read-submission.ts';

const bytes = readFileSync(new URL('../../../fixtures/inferencex-api/2026-rows.json', import.meta.url));
const rows = JSON.parse(bytes.toString('utf8'));
const { results } = readSubmission(bytes, {});
const [plain, experts, split, combined, chunks, h200, powered, silent] = results;

test('converts seconds to milliseconds, and rates per GPU to totals', () => {
  expect(plain?.system).toMatchObject({ gpu: { id: 'mi355x' }, gpuCount: 4, quantization: { id: 'mxfp4' } });
  expect(plain?.metrics).toMatchObject({
    ttft_ms_p50: 102.17383736744523,
    tpot_ms_mean: 9.618676175431116,
    output_tok_s: 98.9883650269406 * 4,
    total_tok_s: 198.9447984579421 * 4,
    power_w: 628.907 * 4,
  });
  expect(plain?.derived.tok_per_joule).toBeCloseTo(1 / 6.353339, 5);
});

test('counts GPUs once if expert and tensor parallelism share them', () => {
  expect(rows[1]).toMatchObject({ num_decode_gpu: 64, decode_tp: 8, decode_ep: 8 });
  expect(experts?.system.gpuCount).toBe(8);
});

test('adds the GPUs of both sides of a disaggregated system, and divides by the sum', () => {
  const { num_prefill_gpu: prefill, num_decode_gpu: decode, metrics } = rows[2];
  expect(split?.system).toMatchObject({ gpuCount: prefill + decode, features: { disaggregated: true } });
  expect(split?.metrics.output_tok_s).toBe(metrics.output_tput_per_gpu * decode);
  expect(split?.derived.output_tok_s_per_gpu).toBeCloseTo(
    (metrics.output_tput_per_gpu * decode) / (prefill + decode),
    9,
  );
});

test('splits a combined GPU count between both sides according to the rates', () => {
  expect(rows[3]).toMatchObject({ disagg: true, num_prefill_gpu: 36, num_decode_gpu: 36 });
  expect(combined?.system).toMatchObject({ gpuCount: 36, features: { prefill_gpus: 4, decode_gpus: 32 } });
});

test('defines ITL per chunk', () => {
  expect(chunks?.definitions).toMatchObject({ itl_ms: 'per_chunk', tpot_ms: 'without_first_token' });
  expect(chunks?.system).toMatchObject({
    engine: { id: 'tensorrt-llm', version: expect.stringMatching(/^as of 2\d{3}-/) },
    features: { speculative_decoding: true, framework: 'dynamo-trt' },
  });
});

test('reads GPU names, versions and dates', () => {
  expect(h200?.system.gpu.id).toBe('h200-sxm');
  expect(plain).toMatchObject({ measuredAt: '2026-06-11T00:00:00.000Z', system: { engine: { version: '0.5.12' } } });
  expect(powered?.metrics.power_w).toBeCloseTo(907.773 * 24, 6);
  expect(silent?.metrics.output_tok_s).toBeUndefined();
  expect(silent?.metrics.total_tok_s).toBe(rows[7].metrics.tput_per_gpu * 4);
});

test('links each row to the run that measured it', () => {
  expect(results.map(({ source }) => source?.url)).toEqual(rows.map((row: { run_url: string }) => row.run_url));
  expect(plain?.source).toMatchObject({ publisher: 'SemiAnalysis', title: 'InferenceX' });
});
