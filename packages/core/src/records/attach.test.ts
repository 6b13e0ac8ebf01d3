import { describe, expect, test } from 'vitest';
import { makeRequest } from '../testing/requests.ts';
import { makeResult } from '../testing/result.ts';
import { isRecomputed, statedOnly, withRecords } from './attach.ts';

const requests = [
  makeRequest({ sentS: 0, inputTokens: 8, outputTokens: 3, ttftMs: 100, e2eMs: 140, gapsMs: [20, 20] }),
  makeRequest({ sentS: 1, inputTokens: 8, outputTokens: 3, ttftMs: 120, e2eMs: 1000, gapsMs: [480, 400] }),
];

describe('a result with records', () => {
  test('has recomputed metrics, and keeps stated ones with the records', () => {
    const metrics = { ttft_ms_mean: 999, ttft_ms_p99: 999, tpot_ms_mean: 1, user_tok_s: 1000, power_w: 300, req_s: 1 };
    const definitions = { tpot_ms: 'with_first_token', itl_ms: 'not_stated' };
    const result = withRecords(makeResult({ metrics, definitions }), requests);
    expect(result.metrics).toMatchObject({
      ttft_ms_mean: 110,
      tpot_ms_mean: 230,
      power_w: 300,
      req_s: 1,
      duration_s: 2,
    });
    // Two samples are too few for a percentile, and the per-user speed is derived from the new time per token.
    expect(result.metrics).not.toHaveProperty('ttft_ms_p99');
    expect(result.metrics).not.toHaveProperty('user_tok_s');
    expect(result.definitions).toMatchObject({ tpot_ms: 'without_first_token', itl_ms: 'per_token' });
    expect(result.records).toMatchObject({ requests, stated: metrics, statedDefinitions: definitions });
    expect(result.records?.certificates.ttft_ms_p99).toMatchObject({ value: 119.8, certified: false });
  });

  // 100 requests do not prove a 99th percentile, but the value that the tool calculated from them is useful.
  test('keeps a stated percentile that too few records confirm, if it matches them', () => {
    const many = Array.from({ length: 100 }, (_, index) => makeRequest({ ttftMs: 100 + index }));
    const p99 = (stated: number) => withRecords(makeResult({ metrics: { ttft_ms_p99: stated } }), many);
    expect(p99(198.01).metrics.ttft_ms_p99).toBe(198.01);
    expect(isRecomputed(p99(198.01))).toBe(true);
    expect(p99(198.01).records?.certificates.ttft_ms_p99).toMatchObject({ n: 100, certified: false });
    expect(p99(150).metrics).not.toHaveProperty('ttft_ms_p99');
    expect(p99(250).metrics).not.toHaveProperty('ttft_ms_p99');
  });

  test('keeps a stated metric that its records do not contain', () => {
    const metrics = { ttft_ms_mean: 110, output_tok_s: 5000, e2e_ms_mean: 500 };
    const result = withRecords(makeResult({ metrics }), [makeRequest({ ttftMs: 100 }), makeRequest({ ttftMs: 120 })]);
    expect(result.metrics).toMatchObject({ ttft_ms_mean: 110, output_tok_s: 5000, e2e_ms_mean: 500 });
    expect(statedOnly(result)).toEqual(['output_tok_s', 'e2e_ms_mean']);
  });
});

// A list of times to first token must not verify a throughput.
test.each<[string, boolean, Parameters<typeof withRecords<ReturnType<typeof makeResult>>>]>([
  ['complete records', true, [makeResult(), requests]],
  ['complete records and a power reading', true, [makeResult({ metrics: { power_w: 300, duration_s: 2 } }), requests]],
  ['latencies alone', true, [makeResult(), [makeRequest({ ttftMs: 100 })]]],
  [
    'latencies and a stated throughput',
    false,
    [makeResult({ metrics: { output_tok_s: 9 } }), [makeRequest({ ttftMs: 100 })]],
  ],
  ['tokens alone', false, [makeResult(), [makeRequest({ outputTokens: 5 })]]],
  ['failures alone', false, [makeResult(), [makeRequest({ error: 'refused' })]]],
  ['a goodput without limits', false, [makeResult({ metrics: { goodput_req_s: 1 } }), requests]],
])('with %s is recomputed: %s', (_, expected, [result, records]) => {
  expect(isRecomputed(withRecords(result, records))).toBe(expected);
});

test('does not mark a result without records as recomputed', () => {
  expect(isRecomputed(makeResult({ metrics: { req_s: 1 } }))).toBe(false);
});
