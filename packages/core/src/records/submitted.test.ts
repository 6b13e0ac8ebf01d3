import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSubmission } from '../submission/read-submission.ts';
import { simulateRun } from '../testing/simulate.ts';

const system = { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, engine: 'vllm' };
const submit = (...results: object[]) =>
  readSubmission(new TextEncoder().encode(JSON.stringify({ schema: 'inferboard/v1', system, results })), {}).results;

const load = { mode: 'concurrency', level: 2 };
const requests = [
  { sent_s: 0, input_tokens: 8, output_tokens: 3, ttft_ms: 100, e2e_ms: 140, itl_ms: [20, 20] },
  { sent_s: 0, input_tokens: 8, output_tokens: 3, ttft_ms: 120, e2e_ms: 160, itl_ms: [20, 20] },
  { sent_s: 0.15, input_tokens: 8, output_tokens: 3, ttft_ms: 110, e2e_ms: 150, itl_ms: [20, 20] },
];

test('recomputes and checks a run with records, and raises its trust', () => {
  const [result] = submit({ load, metrics: { ttft_ms_mean: 110 }, slo: { ttft_ms: 110 }, requests });
  expect(result).toMatchObject({ trust: 'recomputed', status: 'accepted' });
  expect(result?.metrics).toMatchObject({
    ttft_ms_mean: 110,
    output_tok_s: 30,
    goodput_req_s: expect.closeTo(2 / 0.3, 9),
  });
  expect(result?.derived).toMatchObject({ user_tok_s: 50 });
  expect(result?.passed).toEqual(expect.arrayContaining(['R1', 'R6']));
  expect(result?.definitions).toMatchObject({ itl_ms: 'per_token', e2e_ms: 'request' });
});

test('quarantines a result whose records contradict a stated metric, and replaces the metric', () => {
  const [result] = submit({ load, metrics: { output_tok_s: 39 }, requests });
  expect(result?.metrics.output_tok_s).toBeCloseTo(30, 9);
  expect(result?.status).toBe('quarantined');
  expect(result?.findings).toContainEqual({
    code: 'records_contradict',
    severity: 'violation',
    message: 'Output throughput is stated as 39 tok/s, but the records of the requests give 30 tok/s.',
    evidence: expect.objectContaining({ check: 'R1', metric: 'output_tok_s', stated: 39 }),
  });
});

test('does not raise trust if records have none of the metrics', () => {
  const failed = [{ sent_s: 0, error: 'connection refused' }];
  const [without, besides] = submit(
    { load, requests: failed },
    { load, metrics: { output_tok_s: 9 }, requests: [{ ttft_ms: 5 }] },
  );
  expect(without).toMatchObject({ trust: 'self_reported', metrics: { requests_ok: 0, requests_failed: 1 } });
  expect(without?.findings.map(({ code }) => code)).toContain('error_rate');
  expect(besides?.trust).toBe('self_reported');
});

test('accepts the example of the format, whose records match', () => {
  const bytes = readFileSync(new URL('../../fixtures/native/v1-records.json', import.meta.url));
  const [run, single] = readSubmission(new Uint8Array(bytes), {}).results;
  expect(run?.findings.filter(({ severity }) => severity === 'violation')).toEqual([]);
  expect(run?.trust).toBe('recomputed');
  expect(run?.passed).toEqual(expect.arrayContaining(['R1', 'R2', 'R3', 'R6', 'R7']));
  // 31 responses are enough for a 90th percentile; the 99th stays as stated, without a certificate.
  expect(run?.metrics.ttft_ms_p90).toBeCloseTo(36.7, 1);
  expect(run?.metrics.ttft_ms_p99).toBe(45.18);
  expect(run?.records?.certificates.ttft_ms_p99).toMatchObject({ n: 31, floor: 299, certified: false });
  expect(single?.metrics).toMatchObject({ e2e_ms_max: 39.875, itl_ms_mean: 7.375 });
  expect(single?.limits).toMatchObject({ ttftMs: 500, tpotMs: 30 });
});

// A hundred results of a thousand requests are a typical sweep. The time limit is many times the expected time.
test('reads, recomputes and checks a hundred thousand requests in seconds', () => {
  const { requests: made } = simulateRun(1, {
    mode: 'concurrency',
    level: 8,
    rounds: 125,
    workload: { inputTokens: 128, outputTokens: 4, varied: false },
  });
  const records = made.map(({ sentS, inputTokens, outputTokens, ttftMs, e2eMs, gapsMs }) => ({
    sent_s: sentS,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ttft_ms: ttftMs,
    e2e_ms: e2eMs,
    itl_ms: gapsMs?.map((gap) => Number(gap.toFixed(2))),
  }));
  expect(records).toHaveLength(1000);
  const before = process.threadCpuUsage();
  const results = submit(...Array.from({ length: 100 }, () => ({ load, requests: records })));
  expect(results).toHaveLength(100);
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(30_000);
});
