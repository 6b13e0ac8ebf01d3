import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import type { Result } from '../../subjects/result.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import type { Check } from '../check.ts';
import { checkRate } from '../ratio.ts';
import { a2RequestRate } from './a2-request-rate.ts';
import { a3TokenRate } from './a3-token-rate.ts';
import { a13OutputRate } from './a13-output-rate.ts';
import { a14DecodeRate } from './a14-decode-rate.ts';

const serving = (metrics: Metrics, over: ResultWords = {}) =>
  makeResult({ metrics, load: { mode: 'concurrency', level: 32 }, ...over });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((doubt) => doubt.severity);
const batch = (metrics: Metrics, level: number, inputTokens: number | null, outputTokens: number | null) =>
  serving(metrics, { load: { mode: 'batch', level }, scenario: { inputTokens, outputTokens } });

describe('A2, request rate', () => {
  test('passes for 4 req/s with 480 requests in 120 s', () => {
    expect(doubtsOf(a2RequestRate, serving({ req_s: 4.0, requests_ok: 480, duration_s: 120 }))).toEqual([]);
  });

  // 480 / 120.25 = 3.99168. 1 % of it, half of 0.01, and the rounding of 480 and 120.25 allow 0.0492.
  test.each([
    [4.04, []],
    [4.05, ['violation']],
    [3.95, []],
    [3.94, ['violation']],
  ])('%d req/s for 480 requests in 120.25 s: %j', (req_s, expected) => {
    expect(severities(a2RequestRate, serving({ req_s, requests_ok: 480, duration_s: 120.25 }))).toEqual(expected);
  });

  test('states the expected value and the tolerance', () => {
    const [verdict] = doubtsOf(a2RequestRate, serving({ req_s: 8.5, requests_ok: 480, duration_s: 120.25 }));
    expect(verdict?.message).toBe('req_s is stated as 8.5 req/s, but 480 requests in 120.3 s equal 3.992 req/s.');
    expect(verdict?.evidence).toMatchObject({ metric: 'req_s', stated: 8.5, expected: 480 / 120.25 });
    expect(verdict?.evidence.lower).toBeCloseTo(3.8975, 4);
    expect(verdict?.evidence.upper).toBeCloseTo(4.086, 4);
  });

  test.each([
    [{ req_s: 4 }, ['requests_ok', 'duration_s']],
    [{ req_s: 4, requests_ok: 480 }, ['duration_s']],
    [{ req_s: 4, duration_s: 120 }, ['requests_ok']],
  ])('is unchecked for %j without %j', (metrics, missing) => {
    expect(doubtsOf(a2RequestRate, serving(metrics))).toMatchObject([{ severity: 'unchecked', evidence: { missing } }]);
  });

  test('reports nothing without a rate, or for kernels', () => {
    expect(doubtsOf(a2RequestRate, serving({ requests_ok: 480, duration_s: 120 }))).toEqual([]);
    expect(doubtsOf(a2RequestRate, serving({ req_s: 9 }, { kind: 'kernel' }))).toEqual([]);
  });
});

describe('A3, token rates over the window', () => {
  test('passes for 1000.0 tok/s with 10 004 tokens in 10.0 s, within rounding', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 1000.0, output_tokens: 10_004, duration_s: 10.0 }))).toEqual(
      [],
    );
  });

  // 10 004 / 10.25 = 976.0. 1 % of it, half of 0.1, and the rounding of the other two allow 10.325.
  test.each([
    [986.3, []],
    [986.4, ['violation']],
    [965.7, []],
    [965.6, ['violation']],
  ])('%d tok/s for 10 004 tokens in 10.25 s: %j', (output_tok_s, expected) => {
    const metrics = { output_tok_s, output_tokens: 10_004, duration_s: 10.25 };
    expect(severities(a3TokenRate, serving(metrics))).toEqual(expected);
  });

  test('compares input and total rates with their own tokens', () => {
    const honest = { duration_s: 10.25, input_tokens: 20_500, output_tokens: 10_250 };
    const rates = { input_tok_s: 2000.5, output_tok_s: 1000.5, total_tok_s: 3000.5 };
    expect(doubtsOf(a3TokenRate, serving({ ...honest, ...rates }))).toEqual([]);
    const wrong = doubtsOf(a3TokenRate, serving({ ...honest, ...rates, input_tok_s: 2100.5, total_tok_s: 1000.5 }));
    expect(wrong.map(({ severity, evidence }) => [severity, evidence.metric])).toEqual([
      ['violation', 'input_tok_s'],
      ['violation', 'total_tok_s'],
    ]);
  });

  test('is unchecked for a rate without tokens or duration', () => {
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000 }))).toEqual(['unchecked']);
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000, output_tokens: 10_000 }))).toEqual(['unchecked']);
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000, duration_s: 10 }))).toEqual(['unchecked']);
    // A total needs input and output tokens.
    const half = { total_tok_s: 1000, output_tokens: 10_000, duration_s: 10 };
    expect(severities(a3TokenRate, serving(half))).toEqual(['unchecked']);
  });

  test('reports nothing without a rate, or for kernels', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tokens: 10_000, duration_s: 10 }))).toEqual([]);
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 1 }, { kind: 'kernel' }))).toEqual([]);
  });

  test('passes for a run without a response and a rate of 0', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 0, output_tokens: 0, duration_s: 10 }))).toEqual([]);
  });
});

describe('A3, a static batch', () => {
  // One sequence of 2048 + 32 tokens in 0.27 s: 7703.7 tok/s total, 118.5 tok/s output.
  test('passes for 7660.45 tok/s in total', () => {
    expect(doubtsOf(a3TokenRate, batch({ total_tok_s: 7660.45, e2e_ms_mean: 270 }, 1, 2048, 32))).toEqual([]);
    expect(doubtsOf(a3TokenRate, batch({ output_tok_s: 32 / 0.27, e2e_ms_mean: 270 }, 1, 2048, 32))).toEqual([]);
  });

  test('reports a decode speed of 191.82 stated as output throughput', () => {
    const [verdict] = doubtsOf(a3TokenRate, batch({ output_tok_s: 191.82, e2e_ms_mean: 270 }, 1, 2048, 32));
    expect(verdict).toMatchObject({ severity: 'violation', evidence: { metric: 'output_tok_s', stated: 191.82 } });
    expect(verdict?.evidence.expected).toBeCloseTo(118.52, 2);
  });

  test('includes the batch size', () => {
    const metrics = { total_tok_s: 4 * 7703.7, e2e_ms_mean: 270 };
    expect(doubtsOf(a3TokenRate, batch(metrics, 4, 2048, 32))).toEqual([]);
    expect(severities(a3TokenRate, batch(metrics, 1, 2048, 32))).toEqual(['violation']);
  });

  test.each([
    [null, 32],
    [2048, null],
  ])('is unchecked if the shape is unknown: %j in, %j out', (input, output) => {
    expect(severities(a3TokenRate, batch({ total_tok_s: 1, e2e_ms_mean: 270 }, 1, input, output))).toEqual([
      'unchecked',
    ]);
  });

  // Other loads have one latency per request, not one for all requests.
  test('does not use the latency of single requests', () => {
    const scenario = batch({}, 1, 2048, 32).scenario;
    expect(severities(a3TokenRate, serving({ total_tok_s: 1, e2e_ms_mean: 270 }, { scenario }))).toEqual(['unchecked']);
  });
});

describe('A3, several rates', () => {
  // A checked rate must not hide an unchecked one.
  test('reports a rate without token counts next to the checked ones', () => {
    const metrics = { duration_s: 10.25, output_tokens: 10_250, output_tok_s: 1000.5, total_tok_s: 9000.5 };
    expect(doubtsOf(a3TokenRate, serving(metrics))).toMatchObject([
      { severity: 'unchecked', evidence: { missing: ['input_tokens'] } },
    ]);
    expect(severities(a3TokenRate, serving({ ...metrics, output_tok_s: 2000.5 }))).toEqual(['violation', 'unchecked']);
  });

  test('does not use the mean over requests as the latency of a static batch', () => {
    const of = (e2e_ms: string) => ({
      ...batch({ total_tok_s: 9000.5, e2e_ms_mean: 270 }, 1, 2048, 32),
      definitions: { e2e_ms },
    });
    expect(severities(a3TokenRate, of('whole_batch'))).toEqual(['violation']);
    expect(doubtsOf(a3TokenRate, of('request'))).toMatchObject([
      { severity: 'unchecked', evidence: { missing: ['e2e_ms_mean of the whole batch'] } },
    ]);
  });

  test('does not apply without a rate', () => {
    expect(answerOf(a3TokenRate, serving({ duration_s: 10 }))).toBe('not_applicable');
    expect(answerOf(a3TokenRate, serving({ duration_s: 10, output_tokens: 10, output_tok_s: 1 }))).toBe('pass');
  });
});

describe('a stated rate', () => {
  const claim = (stated: number, amount: number, seconds: number) =>
    checkRate({ name: 'req_s', unit: 'req/s', stated, amount, amountName: 'requests', seconds, tolerance: 0.01 });
  const digits = fc.integer({ min: 0, max: 6 });
  const amounts = fc.integer({ min: 1, max: 10_000_000 });
  const durations = fc.double({ min: 0.5, max: 100_000, noNaN: true });

  test('never fails because of fewer printed digits', () => {
    fc.assert(
      fc.property(amounts, durations, digits, digits, (amount, seconds, rateDigits, timeDigits) => {
        const printed = Number(seconds.toFixed(timeDigits));
        fc.pre(printed > 0);
        expect(claim(Number((amount / seconds).toFixed(rateDigits)), amount, printed)).toEqual([]);
      }),
    );
  });

  test('always fails if it is 10 % too high or too low with all digits', () => {
    fc.assert(
      fc.property(amounts, fc.constantFrom(0.9, 1.1), (amount, factor) => {
        fc.pre(amount > 100);
        const stated = (amount / 10.123456) * factor;
        fc.pre(!String(stated).includes('e') && String(stated).includes('.'));
        fc.pre(String(stated).split('.')[1]?.length !== 1);
        expect(claim(stated, amount, 10.123456)).toMatchObject([{ severity: 'violation' }]);
      }),
    );
  });
});

describe('A13, output throughput', () => {
  const run = { requests_ok: 480, duration_s: 120.5, output_tokens: 122_880 };

  // 480 / 120.5 x 256 = 1019.75; 120.45 s gives 1020.17, plus 2 % gives 1040.58.
  test.each([
    [1019.8, []],
    [1040.6, []],
    [1040.7, ['violation']],
    [998.9, []],
    [998.8, ['violation']],
  ])('%d tok/s: %j', (output_tok_s, expected) => {
    expect(severities(a13OutputRate, serving({ ...run, output_tok_s }))).toEqual(expected);
  });

  test('needs no duration if the request rate is stated', () => {
    const { duration_s: _, ...counted } = { ...run, req_s: 4.05 };
    expect(answerOf(a13OutputRate, serving({ ...counted, output_tok_s: 1036.8 }))).toBe('pass');
    expect(severities(a13OutputRate, serving({ ...counted, output_tok_s: 1336.8 }))).toEqual(['violation']);
  });

  test('is unchecked without response lengths', () => {
    expect(doubtsOf(a13OutputRate, serving({ req_s: 4.05, requests_ok: 480, output_tok_s: 9.5 }))).toMatchObject([
      { severity: 'unchecked', evidence: { missing: ['output_tokens'] } },
    ]);
    expect(answerOf(a13OutputRate, serving({ output_tok_s: 9.5 }))).toBe('not_applicable');
  });
});

describe('A14, decode speed', () => {
  test.each<[Metrics, string[]]>([
    [{ decode_tok_s: 191.82, output_tok_s: 118.5 }, []],
    // 5 % of 191.825, plus 0.05 for rounding.
    [{ decode_tok_s: 191.82, output_tok_s: 201.4 }, []],
    [{ decode_tok_s: 191.82, output_tok_s: 201.6 }, ['warning']],
    // 32 users at 25.5 ms each give 1254.9 tok/s, or 1252.45 to 1257.37 before rounding. Tolerance: 5 % either way and 0.05.
    [{ decode_tok_s: 1254.9, tpot_ms_mean: 25.5 }, []],
    [{ decode_tok_s: 1320.2, tpot_ms_mean: 25.5 }, []],
    [{ decode_tok_s: 1320.3, tpot_ms_mean: 25.5 }, ['warning']],
    [{ decode_tok_s: 1189.8, tpot_ms_mean: 25.5 }, []],
    [{ decode_tok_s: 1189.7, tpot_ms_mean: 25.5 }, ['warning']],
  ])('%j: %j', (metrics, expected) => expect(severities(a14DecodeRate, serving(metrics))).toEqual(expected));

  test.each<[string, Metrics, ResultWords]>([
    ['an open loop', { decode_tok_s: 9.5, tpot_ms_mean: 25.5 }, { load: { mode: 'rate', level: 32 } }],
    [
      'a TPOT with the first token',
      { decode_tok_s: 9.5, tpot_ms_mean: 25.5 },
      { definitions: { tpot_ms: 'with_first_token' } },
    ],
    ['a decode speed alone', { decode_tok_s: 9.5 }, {}],
    ['a TPOT of 0', { decode_tok_s: 9.5, tpot_ms_mean: 0 }, {}],
  ])('does not apply to %s', (_, metrics, over) => {
    expect(answerOf(a14DecodeRate, serving(metrics, over))).toBe('not_applicable');
  });
});

test('has no ratio for a decode speed of zero', () => {
  const [doubt] = doubtsOf(a14DecodeRate, serving({ decode_tok_s: 0, output_tok_s: 5 }));
  expect(doubt?.evidence).toMatchObject({ output_tok_s: 5, decode_tok_s: 0, ratio: null });
});

describe('the tolerance of a tool', () => {
  const off = { req_s: 4.14, requests_ok: 480, duration_s: 120.25 };
  const honest = { share: 0.05, reason: 'it averages over another window than it counts in' };

  test('replaces the default', () => {
    expect(doubtsOf(a2RequestRate, makeResult({ metrics: off }))).toMatchObject([{ severity: 'violation' }]);
    expect(answerOf(a2RequestRate, makeResult({ metrics: off, tolerance: honest }))).toBe('pass');
    expect(doubtsOf(a2RequestRate, makeResult({ metrics: { ...off, req_s: 4.3 }, tolerance: honest }))).toHaveLength(1);
  });

  test('never makes a check stricter', () => {
    const strict = { share: 0.001, reason: 'none' };
    expect(answerOf(a2RequestRate, makeResult({ metrics: { ...off, req_s: 4.02 }, tolerance: strict }))).toBe('pass');
  });
});
