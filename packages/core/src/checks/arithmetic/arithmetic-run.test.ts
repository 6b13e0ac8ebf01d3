import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import { DomainError } from '../../errors.ts';
import type { RequestRecord } from '../../records.ts';
import type { Result } from '../../subjects/result.ts';
import { alone } from '../../subjects/subject.ts';
import { readSubmission } from '../../submission/read-submission.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import type { Check } from '../check.ts';
import { a1SaneFigures, figureFaults } from './a1-sane-figures.ts';
import { a16RequestsCounted } from './a16-requests-counted.ts';
import { a17LengthsAllowed } from './a17-lengths-allowed.ts';
import { a18Variance } from './a18-variance.ts';
import { a19LongEnough } from './a19-long-enough.ts';

const serving = (metrics: Metrics, over: ResultWords = {}) =>
  makeResult({ metrics, load: { mode: 'concurrency', level: 32 }, ...over });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((doubt) => doubt.severity);

describe('A1, valid figures', () => {
  test.each<[Metrics, string | null]>([
    [{ ttft_ms_mean: 5 }, null],
    [{ ttft_ms_mean: -1 }, 'ttft_ms_mean must be above 0, found -1.'],
    [{ ttft_ms_mean: 0 }, 'ttft_ms_mean must be above 0, found 0.'],
    [{ ttft_ms_sd: 0 }, null],
    [{ ttft_ms_sd: -0.5 }, 'ttft_ms_sd must be 0 or more, found -0.5.'],
    [{ output_tok_s: 0 }, null],
    [{ output_tok_s: Number.POSITIVE_INFINITY }, 'output_tok_s must be a finite number, found Infinity.'],
    [{ output_tok_s: Number.NaN }, 'output_tok_s must be a finite number, found NaN.'],
    [{ duration_s: 0 }, 'duration_s must be above 0, found 0.'],
    [{ requests_ok: 0 }, null],
    [{ requests_ok: 12.5 }, 'requests_ok must be a whole number, 0 or more, found 12.5.'],
    [{ output_tokens: -3 }, 'output_tokens must be a whole number, 0 or more, found -3.'],
    // The gap between chunks that arrive together is 0, or too short for two decimals.
    [{ itl_ms_mean: 5, itl_ms_min: 0, itl_ms_p50: 0 }, null],
    [{ itl_ms_mean: 500, itl_ms_p50: 0 }, null],
    // Seconds with two decimals: 0.01 and 0.00.
    [{ ttft_ms_mean: 10, ttft_ms_p50: 0 }, null],
    [{ ttft_ms_mean: 21034, ttft_ms_min: 0 }, null],
    [
      { ttft_ms_mean: 21034.12, ttft_ms_p50: 0 },
      'ttft_ms_p50 must be above 0 where ttft_ms_mean is 21034.12, found 0.',
    ],
    [{ itl_ms_p50: 0 }, 'itl_ms_p50 must be above 0, found 0.'],
    [{ itl_ms_p50: 5, itl_ms_mean: 0 }, 'itl_ms_mean must be above 0, found 0.'],
  ])('%j: %j', (metrics, message) => {
    expect(figureFaults(serving(metrics)).map((fault) => fault.message)).toEqual(message === null ? [] : [message]);
    expect(severities(a1SaneFigures, serving(metrics))).toEqual(message === null ? [] : ['violation']);
  });

  test('does not apply without figures, and states the invalid figure', () => {
    expect(answerOf(a1SaneFigures, serving({}))).toBe('not_applicable');
    expect(answerOf(a1SaneFigures, serving({ req_s: 4 }))).toBe('pass');
    const message = 'ttft_ms_mean must be above 0, found -1.';
    expect(doubtsOf(a1SaneFigures, serving({ ttft_ms_mean: -1 }))).toEqual([
      { severity: 'violation', message, evidence: { found: message } },
    ]);
  });

  test('reports each invalid figure as a separate error', () => {
    const faults = figureFaults(serving({ ttft_ms_mean: -1, requests_ok: 1.5, req_s: 4 }));
    expect(faults.map(({ code }) => code)).toEqual(['value_invalid', 'value_invalid']);
  });

  test('a violation contains the error', () => {
    const found = 'req_s must be 0 or more, found -1.';
    expect(answerOf(a1SaneFigures, serving({ req_s: -1 }))).toEqual([
      { severity: 'violation', message: found, evidence: { found } },
    ]);
    expect(answerOf(a1SaneFigures, serving({ req_s: 1 }))).toBe('pass');
    expect(answerOf(a1SaneFigures, serving({}))).toBe('not_applicable');
  });

  // A manually edited console output: the parser accepts any number, but the result is still rejected.
  test('rejects a file with an invalid figure, with its line', () => {
    const block = [
      '============ Serving Benchmark Result ============',
      'Successful requests:                     10',
      'Benchmark duration (s):                  0.00',
      'Total input tokens:                      100',
      'Total generated tokens:                  100',
      'Output token throughput (tok/s):         10.00',
      'Mean TTFT (ms):                          5.00',
      '==================================================',
    ].join('\n');
    const given = { gpu: 'h100-sxm', model: 'llama-3.1-8b', quantization: 'bf16', engine: 'vllm' };
    let refusal: unknown = null;
    try {
      readSubmission(new TextEncoder().encode(block), { ...given, tool: 'vllm-bench-serve' });
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(DomainError);
    expect(refusal).toMatchObject({
      code: 'artifact_unreadable',
      faults: [{ code: 'value_invalid', line: 1, message: 'duration_s must be above 0, found 0.' }],
    });
  });
});

describe('A16, request counts', () => {
  const sent = (requests_sent: number) => ({ extra: { requests_sent } });
  const burst = (level: number): ResultWords => ({ load: { mode: 'burst', level } });

  test.each<[Metrics, ResultWords, string[]]>([
    [{ requests_ok: 98, requests_failed: 2 }, sent(100), []],
    [{ requests_ok: 98, requests_failed: 3 }, sent(100), ['violation']],
    [{ requests_ok: 98, requests_failed: 0 }, sent(100), ['violation']],
    [{ requests_ok: 98 }, sent(100), ['unchecked']],
    [{ requests_ok: 100 }, sent(100), []],
    [{ requests_ok: 101 }, sent(100), ['violation']],
    [{ requests_ok: 64, requests_failed: 0 }, burst(64), []],
    [{ requests_ok: 190, requests_failed: 2 }, burst(64), []],
    [{ requests_ok: 65, requests_failed: 0 }, burst(64), ['violation']],
    [{ requests_ok: 60, requests_failed: 0 }, burst(64), ['violation']],
    [{ requests_ok: 60, requests_failed: 0 }, {}, []],
  ])('%j of %j: %j', (metrics, over, expected) => {
    expect(severities(a16RequestsCounted, serving(metrics, over))).toEqual(expected);
  });

  test.each<[Metrics, string[]]>([
    [{ goodput_req_s: 4.05, req_s: 4.05 }, []],
    [{ goodput_req_s: 4.06, req_s: 4.05 }, []],
    [{ goodput_req_s: 4.07, req_s: 4.05 }, ['violation']],
    [{ goodput_req_s: 8.1, requests_ok: 405, duration_s: 100.5 }, ['violation']],
    [{ goodput_req_s: 8.1 }, ['unchecked']],
    [{ goodput_req_s: 0, req_s: 4.05 }, []],
  ])('goodput, %j: %j', (metrics, expected) => {
    expect(severities(a16RequestsCounted, serving(metrics))).toEqual(expected);
  });

  test('has no ratio for the goodput of a run without responses', () => {
    const metrics = { goodput_req_s: 1, requests_ok: 0, duration_s: 100 };
    expect(doubtsOf(a16RequestsCounted, makeResult({ metrics }))[0]?.evidence).toMatchObject({ ratio: null });
  });
});

const record = (outputTokens: number | null, maxTokens: number | null): RequestRecord => ({
  sentS: null,
  inputTokens: null,
  cachedTokens: null,
  outputTokens,
  maxTokens,
  ttftMs: null,
  e2eMs: null,
  gapsMs: null,
  error: null,
});
const withRequests = (...requests: RequestRecord[]): ResultWords => ({
  records: { requests, stated: {}, statedDefinitions: {}, figures: [], certificates: {} },
});

describe('A17, lengths', () => {
  test('reports responses that are longer than their limit', () => {
    expect(answerOf(a17LengthsAllowed, serving({}, withRequests(record(256, 256), record(3, 256))))).toBe('pass');
    const [doubt] = doubtsOf(
      a17LengthsAllowed,
      serving({}, withRequests(record(257, 256), record(300, 256), record(9, 256))),
    );
    expect(doubt?.severity).toBe('violation');
    expect(doubt?.message).toBe(
      '2 of 3 responses are longer than max_tokens, the longest by 44 tokens over its limit of 256.',
    );
    expect(answerOf(a17LengthsAllowed, serving({}, withRequests(record(257, null))))).toBe('not_applicable');
  });

  test('states the response that exceeds its own limit most, not the longest or the last', () => {
    const requests = withRequests(record(300, 256), record(110, 10), record(501, 500));
    expect(doubtsOf(a17LengthsAllowed, serving({}, requests))).toMatchObject([
      { evidence: { requests: 3, above: 3, output_tokens: 110, max_tokens: 10 } },
    ]);
  });

  test('states the first of several responses with the same excess', () => {
    const answers = [record(300, 256), record(257, 256), record(556, 512)];
    expect(doubtsOf(a17LengthsAllowed, serving({}, withRequests(...answers)))[0]?.evidence).toEqual({
      requests: 3,
      above: 3,
      output_tokens: 300,
      max_tokens: 256,
    });
  });

  test.each(['kernel', 'training'] as const)('does not apply to a %s result', (kind) => {
    expect(answerOf(a17LengthsAllowed, serving({}, { kind, ...withRequests(record(257, 256)) }))).toBe(
      'not_applicable',
    );
  });

  // The model supports 131 072 tokens.
  test.each<[ResultWords['scenario'], string, string[]]>([
    [{ inputTokens: 131_000, outputTokens: 72 }, 'llama-3.1-8b', []],
    [{ inputTokens: 131_000, outputTokens: 73 }, 'llama-3.1-8b', ['warning']],
    [{ inputTokens: 512, outputTokens: 0, depth: 131_000 }, 'llama-3.1-8b', ['warning']],
    [{ inputTokens: 131_000, outputTokens: 73 }, 'unspecified', ['unchecked']],
    [{ inputTokens: null, outputTokens: 999_999 }, 'llama-3.1-8b', []],
  ])('%j of %s: %j', (scenario, model, expected) => {
    expect(severities(a17LengthsAllowed, serving({}, { system: { model }, ...(scenario && { scenario }) }))).toEqual(
      expected,
    );
  });

  test('ignores a sum of tokens', () => {
    const run = { requests_ok: 10, output_tokens: 3000 };
    const scenario = { inputTokens: 16, outputTokens: 256 };
    expect(answerOf(a17LengthsAllowed, serving(run, { scenario, system: { model: 'llama-3.1-8b' } }))).toBe('pass');
  });
});

describe('A18, repetitions', () => {
  const of = (...all: Metrics[]) => {
    const repetitions = all.map((metrics) => serving(metrics));
    return repetitions.map((result) => ({ ...alone(result), repetitions }));
  };
  const answers = (...all: Metrics[]) =>
    of(...all).map((subject) => doubtsOf(a18Variance, subject).map(({ severity }) => severity));
  const run = { output_tok_s: 101.2, ttft_ms_mean: 50.5, requests_ok: 100 };

  test('warns once about each of three that agree in every digit', () => {
    expect(answers(run, run, run)).toEqual([['warning'], ['warning'], ['warning']]);
  });

  test.each<[string, Metrics[]]>([
    ['two', [run, run]],
    ['one digit apart', [run, run, { ...run, ttft_ms_mean: 50.6 }]],
    ['a result without one of the figures', [run, run, { output_tok_s: 101.2, requests_ok: 100 }]],
    ['equal counts', [{ requests_ok: 100 }, { requests_ok: 100 }, { requests_ok: 100 }]],
  ])('does not warn about %s', (_, all) => expect(answers(...all).flat()).toEqual([]));

  test('passes for results without a common figure, in any order', () => {
    const all: Metrics[] = [{ itl_ms_max: 1 }, { e2e_ms_p99: 1 }, { requests_ok: 100 }];
    const said = (order: Metrics[]) => of(...order).map((subject) => a18Variance.check(subject));
    expect(said(all)).toEqual(['pass', 'pass', 'pass']);
    expect(said(all.toReversed())).toEqual(['pass', 'pass', 'pass']);
  });

  test('ignores differences in counts', () => {
    expect(answers(run, run, { ...run, requests_ok: 101 }).flat()).toEqual(['warning', 'warning', 'warning']);
  });

  test.each<[number[], string[]]>([
    [[101.2, 101.2, 101.2], ['warning']],
    [[101.2, 101.2, 101.3], []],
    [[101.2, 101.2], []],
  ])('samples %j: %j', (output_tok_s, expected) => {
    const repeats = { n: output_tok_s.length, sd: {}, samples: { output_tok_s } };
    expect(severities(a18Variance, serving({ output_tok_s: 101.2 }, { repeats }))).toEqual(expected);
  });
});

describe('A19, duration of the run', () => {
  test.each<[Metrics, ResultWords, string[]]>([
    [{ duration_s: 10, requests_ok: 5 }, {}, []],
    [{ duration_s: 9.9, requests_ok: 100 }, {}, []],
    [{ duration_s: 9.9, requests_ok: 99 }, {}, ['info']],
    [{ duration_s: 9.9 }, {}, ['unchecked']],
    [{ requests_ok: 99 }, {}, ['unchecked']],
    [{ requests_ok: 100 }, {}, []],
    [{}, {}, []],
    [{ duration_s: 1, requests_ok: 1 }, { load: { mode: 'batch', level: 1 } }, []],
  ])('%j, %j: %j', (metrics, over, expected) => {
    expect(severities(a19LongEnough, serving(metrics, over))).toEqual(expected);
  });
});
