import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import type { RequestRecord } from '../../records.ts';
import type { Result } from '../../subjects/result.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import { a11InFlight } from '../arithmetic/a11-in-flight.ts';
import { a12LoadHeld } from '../arithmetic/a12-load-held.ts';
import type { Check } from '../check.ts';
import { a8RequestAddsUp } from './a8-request-adds-up.ts';
import { a9GapsAddUp } from './a9-gaps-add-up.ts';
import { a10StepsAddUp } from './a10-steps-add-up.ts';
import { a15TtftWithinE2e } from './a15-ttft-within-e2e.ts';

const serving = (metrics: Metrics, over: ResultWords = {}) =>
  makeResult({ metrics, load: { mode: 'concurrency', level: 32 }, ...over });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((doubt) => doubt.severity);
const missing = (check: Check, result: Result) => doubtsOf(check, result).map(({ evidence }) => evidence.missing);

describe('A8, one request', () => {
  const one = { requests_ok: 1, output_tokens: 256, ttft_ms_mean: 450.5, tpot_ms_mean: 28.5, e2e_ms_mean: 7718.5 };

  // 450.5 + 255 x 28.5 = 7718. Its rounding is 12.8 and 1 % is 77.3, so up to 7808.2 as written.
  test.each([
    [7718.5, []],
    [7808.1, []],
    [7808.3, ['violation']],
    [7628.1, []],
    [7627.8, ['violation']],
    [6900.5, ['violation']],
  ])('%d ms: %j', (e2e_ms_mean, expected) => {
    expect(severities(a8RequestAddsUp, serving({ ...one, e2e_ms_mean }))).toEqual(expected);
  });

  test('compares TTFT with the latency of a response of one token', () => {
    const { tpot_ms_mean: _, ...single } = { ...one, output_tokens: 1, e2e_ms_mean: 451.5 };
    expect(answerOf(a8RequestAddsUp, serving(single))).toBe('pass');
    expect(severities(a8RequestAddsUp, serving({ ...single, e2e_ms_mean: 480.5 }))).toEqual(['violation']);
  });

  test('does not use the requested length as the number of generated tokens', () => {
    const { output_tokens: _, ...uncounted } = one;
    expect(missing(a8RequestAddsUp, serving(uncounted, { scenario: { outputTokens: 256 } }))).toEqual([
      ['output_tokens'],
    ]);
  });

  test.each<[string, Metrics, ResultWords]>([
    ['two requests', { ...one, requests_ok: 2, e2e_ms_mean: 1.5 }, {}],
    ['a TPOT with the first token', { ...one, e2e_ms_mean: 1.5 }, { definitions: { tpot_ms: 'with_first_token' } }],
    [
      'a TTFT from the scheduled time',
      { ...one, e2e_ms_mean: 1.5 },
      { definitions: { ttft_ms: 'schedule_to_first_token' } },
    ],
    ['a whole batch', { ...one, e2e_ms_mean: 1.5 }, { load: { mode: 'batch', level: 1 } }],
    ['a latency alone', { requests_ok: 1, e2e_ms_mean: 1.5 }, {}],
  ])('does not apply to %s', (_, metrics, over) => {
    expect(answerOf(a8RequestAddsUp, serving(metrics, over))).toBe('not_applicable');
  });
});

// Responses of 100, 200 and 300 tokens. TTFT: 300, 400, 500 ms; 20, 21, 22 ms per token. Latencies: 2280, 4579, 7078 ms.
const unlike = {
  requests_ok: 3,
  output_tokens: 600,
  ttft_ms_mean: 400,
  itl_ms_mean: 21.335,
  tpot_ms_mean: 21.001,
  e2e_ms_mean: 4645.67,
};
const perToken = { definitions: { itl_ms: 'per_token' } };

describe('A9, the sum of the gaps', () => {
  test('passes for an exact sum with responses of different lengths', () => {
    expect(answerOf(a9GapsAddUp, serving(unlike, perToken))).toBe('pass');
  });

  // A TTFT in multiples of 10 ms may be off by 5 ms: 395 + 199 x 21.3345 = 4640.57 to 405 + 199 x 21.3355 = 4650.76, 2 %
  // either way.
  test.each([
    [4743.8, []],
    [4743.9, ['violation']],
    [4547.8, []],
    [4547.6, ['violation']],
  ])('%d ms: %j', (e2e_ms_mean, expected) => {
    expect(severities(a9GapsAddUp, serving({ ...unlike, e2e_ms_mean }, perToken))).toEqual(expected);
  });

  test.each(['per_chunk', 'not_stated'])('is unchecked for ITL %s, regardless of the sum', (itl_ms) => {
    const chunks = serving({ ...unlike, itl_ms_mean: 85.5 }, { definitions: { itl_ms } });
    expect(missing(a9GapsAddUp, chunks)).toEqual([['gaps of single tokens']]);
  });

  test.each([{ e2e_ms_mean: 100 }, { itl_ms_mean: 5 }])('does not apply to %j alone', (metrics) => {
    expect(answerOf(a9GapsAddUp, serving(metrics, perToken))).toBe('not_applicable');
  });

  test('does not apply to ITL derived from TPOT', () => {
    const from = serving({ ...unlike, itl_ms_mean: 85.5 }, { definitions: { itl_ms: 'from_tpot' } });
    expect(answerOf(a9GapsAddUp, from)).toBe('not_applicable');
  });

  test('names the missing metrics', () => {
    const { ttft_ms_mean: _, output_tokens: __, ...rest } = unlike;
    expect(missing(a9GapsAddUp, serving(rest, perToken))).toEqual([['ttft_ms_mean', 'output_tokens']]);
  });
});

const record = (outputTokens: number): RequestRecord => ({
  sentS: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens,
  maxTokens: null,
  ttftMs: null,
  e2eMs: null,
  gapsMs: null,
  error: null,
});

describe('A10, responses of equal length', () => {
  const equal = {
    requests_ok: 400,
    output_tokens: 400 * 256,
    ttft_ms_mean: 450.5,
    tpot_ms_mean: 28.05,
    e2e_ms_mean: 7603.5,
  };
  const asked = { scenario: { outputTokens: 256 } };
  const records = (...tokens: number[]): ResultWords => ({
    records: { requests: tokens.map(record), stated: {}, statedDefinitions: {}, figures: [], certificates: {} },
  });

  // 450.5 + 255 x 28.05 = 7603.25. With the token sum of 400 requests: 2 % + 0.5 / 20 = 4.5 %, which is 342.
  test.each([
    [7603.5, []],
    [7946.5, []],
    [7947.5, ['violation']],
    [4600.5, ['violation']],
  ])('compares the latency with the sum, %d ms: %j', (e2e_ms_mean, expected) => {
    expect(severities(a10StepsAddUp, serving({ ...equal, e2e_ms_mean }, asked))).toEqual(expected);
  });

  // 2 % is 152.
  test.each([
    [7756.5, []],
    [7757.5, ['violation']],
  ])('compares the latency with the records, %d ms: %j', (e2e_ms_mean, expected) => {
    expect(severities(a10StepsAddUp, serving({ ...equal, e2e_ms_mean }, records(256, 256)))).toEqual(expected);
  });

  test.each<[string, Metrics, ResultWords]>([
    ['varying lengths', { ...unlike, e2e_ms_mean: 9000 }, {}],
    ['one token fewer than requested', { ...equal, output_tokens: 400 * 256 - 1, e2e_ms_mean: 9000 }, asked],
    ['records of different lengths', { ...equal, e2e_ms_mean: 9000 }, { ...asked, ...records(255, 257) }],
    // 8 x sqrt(4) = 16: varying lengths produce the same sum in one of sixteen runs.
    [
      'few short responses',
      { ...equal, requests_ok: 4, output_tokens: 32, e2e_ms_mean: 9000 },
      { scenario: { outputTokens: 8 } },
    ],
  ])('does not apply: %s', (_, metrics, over) => {
    expect(answerOf(a10StepsAddUp, serving(metrics, over))).toBe('not_applicable');
  });
});

describe('A11, requests in flight', () => {
  const loop = { requests_ok: 480, duration_s: 120.5, e2e_ms_mean: 7600.5 };

  test('passes for 30.4 requests in flight, and reports 36 if the load allows 32', () => {
    expect(answerOf(a11InFlight, serving({ requests_ok: 480, duration_s: 120, e2e_ms_mean: 7600 }))).toBe('pass');
    const [doubt] = doubtsOf(a11InFlight, serving({ requests_ok: 480, duration_s: 120.25, e2e_ms_mean: 9018.75 }));
    expect(doubt?.message).toBe(
      'Rate and latency of the requests imply 36 requests in flight on average, but the load allows at most 32.',
    );
    expect(doubt?.evidence.in_flight).toBeCloseTo(36, 3);
    expect(doubt?.evidence).toMatchObject({ concurrency: 32, bound: 32.32 });
  });

  // 32.32 x 120.55 / 480 = 8117.03 ms, plus 0.05 for rounding.
  test.each([
    [8117.0, []],
    [8117.2, ['violation']],
  ])('%d ms in a window of 120.5 s: %j', (e2e_ms_mean, expected) => {
    expect(severities(a11InFlight, serving({ ...loop, e2e_ms_mean }))).toEqual(expected);
  });

  test.each<[ResultWords['load'], string[]]>([
    [{ mode: 'concurrency', level: 16 }, ['violation']],
    [{ mode: 'burst', level: 16 }, ['violation']],
    [{ mode: 'rate', level: 4, maxConcurrency: 16 }, ['violation']],
    [{ mode: 'rate', level: 4 }, []],
    [{ mode: 'batch', level: 16 }, []],
    [{ mode: 'unspecified', level: null }, []],
  ])('%j: %j', (load, expected) => expect(severities(a11InFlight, serving(loop, { load }))).toEqual(expected));

  test('accepts the stated request rate', () => {
    const rate = { req_s: 4.05, e2e_ms_mean: 9000.5 };
    expect(severities(a11InFlight, serving(rate))).toEqual(['violation']);
  });

  // An overloaded server: gaps of chunks give 18.7 s and TPOT gives 37.5 s. Neither may cause a violation.
  test('without a latency, reports only a lower bound that exceeds the load', () => {
    const c1000 = {
      requests_ok: 1000,
      duration_s: 43.85,
      output_tokens: 91_942,
      ttft_ms_mean: 9718.01,
      itl_ms_mean: 98.99,
      tpot_ms_mean: 305.36,
    };
    const of = (level: number) =>
      serving(c1000, { load: { mode: 'concurrency', level }, definitions: { itl_ms: 'per_chunk' } });
    expect(missing(a11InFlight, of(1000))).toEqual([['e2e_ms_mean']]);
    // TTFT alone gives 221.6 in flight; with gaps of chunks it would be 426.9.
    expect(missing(a11InFlight, of(300))).toEqual([['e2e_ms_mean']]);
    expect(severities(a11InFlight, of(200))).toEqual(['violation']);
    const exact = serving(c1000, { load: { mode: 'concurrency', level: 300 }, ...perToken });
    expect(severities(a11InFlight, exact)).toEqual(['violation']);
  });

  test('does not apply without any relevant metric, and is unchecked without counts', () => {
    expect(answerOf(a11InFlight, serving({ ttft_ms_mean: 5 }))).toBe('not_applicable');
    expect(missing(a11InFlight, serving({ e2e_ms_mean: 5 }))).toEqual([['requests_ok', 'duration_s']]);
  });
});

describe('A12, users in flight', () => {
  const loop = { requests_ok: 480, duration_s: 120.5, e2e_ms_mean: 7600.5 };

  // Half of 32 users over 120.45 s: 16 x 120.45 / 480 = 4015 ms, plus 0.05 for rounding.
  test.each([
    [7600.5, []],
    [4015.0, []],
    [4014.9, ['warning']],
  ])('%d ms: %j', (e2e_ms_mean, expected) => {
    expect(severities(a12LoadHeld, serving({ ...loop, e2e_ms_mean }))).toEqual(expected);
  });

  test('does not apply to an open loop', () => {
    expect(answerOf(a12LoadHeld, serving({ ...loop, e2e_ms_mean: 5 }, { load: { mode: 'rate', level: 4 } }))).toBe(
      'not_applicable',
    );
  });

  test('does not apply to conversations, whose users also wait between turns', () => {
    const short = { ...loop, e2e_ms_mean: 1000 };
    expect(severities(a12LoadHeld, serving(short))).toEqual(['warning']);
    expect(answerOf(a12LoadHeld, serving(short, { extra: { multi_turn: true } }))).toBe('not_applicable');
  });

  // 202 tok/s of 512 users whose requests took 55.6 s each, for 1,024 requested tokens: a run that stalled.
  test.each([
    [202.238, 1024, ['warning']],
    [1178, 1024, ['warning']],
    [1179, 1024, ['unchecked']],
    [202.238, null, ['unchecked']],
  ])('without a request rate, from %d tok/s and %s requested tokens: %j', (output_tok_s, outputTokens, expected) => {
    const stalled = serving(
      { e2e_ms_mean: 55_595.76, output_tok_s },
      { load: { mode: 'concurrency', level: 512 }, scenario: { outputTokens } },
    );
    expect(severities(a12LoadHeld, stalled)).toEqual(expected);
  });

  test('passes if TTFT alone shows enough requests, and is otherwise unchecked', () => {
    expect(answerOf(a12LoadHeld, serving({ requests_ok: 480, duration_s: 120.5, ttft_ms_mean: 5000.5 }))).toBe('pass');
    expect(missing(a12LoadHeld, serving({ requests_ok: 480, duration_s: 120.5, ttft_ms_mean: 50.5 }))).toEqual([
      ['e2e_ms_mean'],
    ]);
  });
});

describe('A15, first token before the last', () => {
  test('compares equal statistics', () => {
    const verdicts = doubtsOf(
      a15TtftWithinE2e,
      serving({ ttft_ms_mean: 450.5, e2e_ms_mean: 7590.5, ttft_ms_p99: 9000.5, e2e_ms_p99: 8000.5 }),
    );
    expect(verdicts).toEqual([
      {
        severity: 'violation',
        message: 'p99 TTFT (9000.5 ms) is above p99 end-to-end latency (8000.5 ms).',
        evidence: { statistic: 'p99', ttft_ms: 9000.5, e2e_ms: 8000.5 },
      },
    ]);
  });

  test.each(['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max'])('%s: equal passes, above does not', (statistic) => {
    const of = (ttft: number) => serving({ [`ttft_ms_${statistic}`]: ttft, [`e2e_ms_${statistic}`]: 100.5 });
    expect(doubtsOf(a15TtftWithinE2e, of(100.5))).toEqual([]);
    expect(severities(a15TtftWithinE2e, of(102.5))).toEqual(['violation']);
  });

  test('ignores deviations, and statistics without a counterpart', () => {
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_sd: 500, e2e_ms_sd: 3 }))).toEqual([]);
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_mean: 500 }))).toEqual([]);
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_p50: 500, e2e_ms_p99: 3 }))).toEqual([]);
  });

  // A batch of one-token responses: TTFT in milliseconds, latency in hundredths of a second.
  test('compares figures of different precision within their rounding', () => {
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_mean: 270.4, e2e_ms_mean: 270 }))).toEqual([]);
  });
});

describe('A15, different start times', () => {
  test('does not compare a TTFT from the scheduled time with a latency from sending', () => {
    const scheduled = { definitions: { ttft_ms: 'schedule_to_first_token' } };
    const result = serving({ ttft_ms_mean: 900.5, e2e_ms_mean: 100.5 }, scheduled);
    expect(missing(a15TtftWithinE2e, result)).toEqual([['TTFT from sending the request']]);
  });
});
