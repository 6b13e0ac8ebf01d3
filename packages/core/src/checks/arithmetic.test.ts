import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metrics } from '../adapters/adapter.ts';
import { metricFamilies } from '../metrics/index.ts';
import type { Result } from '../result.ts';
import { doubtsOf } from '../testing/result.ts';
import { a2RequestRate } from './a2-request-rate.ts';
import { a3TokenRate } from './a3-token-rate.ts';
import { a4PercentileOrder } from './a4-percentile-order.ts';
import { a5MeanWithinRange } from './a5-mean-within-range.ts';
import { a15TtftWithinE2e } from './a15-ttft-within-e2e.ts';
import type { Check } from './check.ts';
import { checkRate } from './ratio.ts';

function serving(metrics: Metrics, over: Partial<Result> = {}): Result {
  return {
    kind: 'serving',
    tool: { name: 'a tool', version: null },
    system: {
      model: { id: null, name: 'unspecified', family: null },
      quantization: { id: null, name: 'unspecified', recipe: [] },
      gpu: { id: null, name: 'unspecified', family: null },
      gpuCount: null,
      gpuPowerLimitW: null,
      engine: { id: null, name: 'unspecified', version: null },
      parallelism: { tensor: null, pipeline: null, data: null, expert: null },
      features: {},
    },
    scenario: { id: 'custom', inputTokens: null, outputTokens: null, dataset: null, depth: null, kernel: null },
    load: { mode: 'concurrency', level: 32 },
    repetition: null,
    metrics,
    definitions: {},
    repeats: null,
    records: null,
    limits: null,
    extra: {},
    measuredAt: null,
    lines: { from: 1, to: 1 },
    ...over,
  };
}

const batch = (metrics: Metrics, level: number, inputTokens: number | null, outputTokens: number | null) =>
  serving(metrics, {
    load: { mode: 'batch', level },
    scenario: { id: 'custom', inputTokens, outputTokens, dataset: null, depth: null, kernel: null },
  });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((verdict) => verdict.severity);

describe('A2, request rate', () => {
  test('480 requests in 120 s are 4 per second', () => {
    expect(doubtsOf(a2RequestRate, serving({ req_s: 4.0, requests_ok: 480, duration_s: 120 }))).toEqual([]);
  });

  // 480 / 120.25 = 3.99168; 1 % of it, half of 0.01, and the rounding of 480 and 120.25 allow 0.0492.
  test.each([
    [4.04, []],
    [4.05, ['violation']],
    [3.95, []],
    [3.94, ['violation']],
  ])('%d req/s for 480 requests in 120.25 s: %j', (req_s, expected) => {
    expect(severities(a2RequestRate, serving({ req_s, requests_ok: 480, duration_s: 120.25 }))).toEqual(expected);
  });

  test('a violation names the figure, what it should be and how much was allowed', () => {
    const [verdict] = doubtsOf(a2RequestRate, serving({ req_s: 8.5, requests_ok: 480, duration_s: 120.25 }));
    expect(verdict?.message).toBe('req_s is stated as 8.5 req/s, but 480 requests in 120.3 s make 3.992 req/s.');
    expect(verdict?.evidence).toMatchObject({ metric: 'req_s', stated: 8.5, expected: 480 / 120.25 });
    expect(verdict?.evidence.lower).toBeCloseTo(3.8975, 4);
    expect(verdict?.evidence.upper).toBeCloseTo(4.086, 4);
  });

  test.each([
    [{ req_s: 4 }, ['requests_ok', 'duration_s']],
    [{ req_s: 4, requests_ok: 480 }, ['duration_s']],
    [{ req_s: 4, duration_s: 120 }, ['requests_ok']],
  ])('%j is unchecked for want of %j', (metrics, missing) => {
    expect(doubtsOf(a2RequestRate, serving(metrics))).toMatchObject([{ severity: 'unchecked', evidence: { missing } }]);
  });

  test('has nothing to say where no rate is claimed, or about kernels', () => {
    expect(doubtsOf(a2RequestRate, serving({ requests_ok: 480, duration_s: 120 }))).toEqual([]);
    expect(doubtsOf(a2RequestRate, serving({ req_s: 9 }, { kind: 'kernel' }))).toEqual([]);
  });
});

describe('A3, token rates over the window', () => {
  test('1000.0 tok/s for 10 004 tokens in 10.0 s is within rounding', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 1000.0, output_tokens: 10_004, duration_s: 10.0 }))).toEqual(
      [],
    );
  });

  // 10 004 / 10.25 = 976.0; 1 % of it, half of 0.1 and the rounding of the other two allow 10.325.
  test.each([
    [986.3, []],
    [986.4, ['violation']],
    [965.7, []],
    [965.6, ['violation']],
  ])('%d tok/s for 10 004 tokens in 10.25 s: %j', (output_tok_s, expected) => {
    const metrics = { output_tok_s, output_tokens: 10_004, duration_s: 10.25 };
    expect(severities(a3TokenRate, serving(metrics))).toEqual(expected);
  });

  test('input and total rates are held against their own tokens', () => {
    const honest = { duration_s: 10.25, input_tokens: 20_500, output_tokens: 10_250 };
    const rates = { input_tok_s: 2000.5, output_tok_s: 1000.5, total_tok_s: 3000.5 };
    expect(doubtsOf(a3TokenRate, serving({ ...honest, ...rates }))).toEqual([]);
    const wrong = doubtsOf(a3TokenRate, serving({ ...honest, ...rates, input_tok_s: 2100.5, total_tok_s: 1000.5 }));
    expect(wrong.map(({ severity, evidence }) => [severity, evidence.metric])).toEqual([
      ['violation', 'input_tok_s'],
      ['violation', 'total_tok_s'],
    ]);
  });

  test('is unchecked where a rate has neither tokens nor time beside it', () => {
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000 }))).toEqual(['unchecked']);
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000, output_tokens: 10_000 }))).toEqual(['unchecked']);
    expect(severities(a3TokenRate, serving({ output_tok_s: 1000, duration_s: 10 }))).toEqual(['unchecked']);
    // A total needs both kinds of tokens.
    const half = { total_tok_s: 1000, output_tokens: 10_000, duration_s: 10 };
    expect(severities(a3TokenRate, serving(half))).toEqual(['unchecked']);
  });

  test('has nothing to say where no rate is claimed, or about kernels', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tokens: 10_000, duration_s: 10 }))).toEqual([]);
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 1 }, { kind: 'kernel' }))).toEqual([]);
  });

  test('no token in no time of a run without an answer contradicts nothing', () => {
    expect(doubtsOf(a3TokenRate, serving({ output_tok_s: 0, output_tokens: 0, duration_s: 10 }))).toEqual([]);
  });
});

describe('A3, a static batch', () => {
  // One sequence of 2048 + 32 tokens in 0.27 s: 7703.7 tok/s in all, 118.5 of output.
  test('7660.45 tok/s overall is honest', () => {
    expect(doubtsOf(a3TokenRate, batch({ total_tok_s: 7660.45, e2e_ms_mean: 270 }, 1, 2048, 32))).toEqual([]);
    expect(doubtsOf(a3TokenRate, batch({ output_tok_s: 32 / 0.27, e2e_ms_mean: 270 }, 1, 2048, 32))).toEqual([]);
  });

  test('a decode speed of 191.82 filed as output throughput is found out', () => {
    const [verdict] = doubtsOf(a3TokenRate, batch({ output_tok_s: 191.82, e2e_ms_mean: 270 }, 1, 2048, 32));
    expect(verdict).toMatchObject({ severity: 'violation', evidence: { metric: 'output_tok_s', stated: 191.82 } });
    expect(verdict?.evidence.expected).toBeCloseTo(118.52, 2);
  });

  test('the batch size counts', () => {
    const metrics = { total_tok_s: 4 * 7703.7, e2e_ms_mean: 270 };
    expect(doubtsOf(a3TokenRate, batch(metrics, 4, 2048, 32))).toEqual([]);
    expect(severities(a3TokenRate, batch(metrics, 1, 2048, 32))).toEqual(['violation']);
  });

  test.each([
    [null, 32],
    [2048, null],
  ])('is unchecked where the shape is not told: %j in, %j out', (input, output) => {
    expect(severities(a3TokenRate, batch({ total_tok_s: 1, e2e_ms_mean: 270 }, 1, input, output))).toEqual([
      'unchecked',
    ]);
  });

  // Other loads have a latency for each request, not one for all of them.
  test('the latency of single requests is no basis', () => {
    const scenario = batch({}, 1, 2048, 32).scenario;
    expect(severities(a3TokenRate, serving({ total_tok_s: 1, e2e_ms_mean: 270 }, { scenario }))).toEqual(['unchecked']);
  });
});

describe('a stated rate', () => {
  const claim = (stated: number, amount: number, seconds: number) =>
    checkRate({ name: 'req_s', unit: 'req/s', stated, amount, amountName: 'requests', seconds, tolerance: 0.01 });
  const digits = fc.integer({ min: 0, max: 6 });
  const amounts = fc.integer({ min: 1, max: 10_000_000 });
  const durations = fc.double({ min: 0.5, max: 100_000, noNaN: true });

  test('is never doubted for having been printed with fewer digits', () => {
    fc.assert(
      fc.property(amounts, durations, digits, digits, (amount, seconds, rateDigits, timeDigits) => {
        const printed = Number(seconds.toFixed(timeDigits));
        fc.pre(printed > 0);
        expect(claim(Number((amount / seconds).toFixed(rateDigits)), amount, printed)).toEqual([]);
      }),
    );
  });

  test('is always doubted when it is a tenth too high or too low and written out', () => {
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

describe('A4, order of percentiles', () => {
  test('p50 120, p90 110, p99 400 cannot be', () => {
    const verdicts = doubtsOf(a4PercentileOrder, serving({ ttft_ms_p50: 120, ttft_ms_p90: 110, ttft_ms_p99: 400 }));
    expect(verdicts).toEqual([
      {
        severity: 'violation',
        message: 'TTFT: p50 (120 ms) is above p90 (110 ms).',
        evidence: { metric: 'ttft_ms', p50: 120, p90: 110 },
      },
    ]);
  });

  test.each(metricFamilies.filter((family) => family.statistics !== null).map((family) => family.base))(
    'rising and equal %s pass, a fall anywhere does not',
    (base) => {
      const names = ['min', 'p50', 'p90', 'p95', 'p99', 'max'].map((statistic) => `${base}_${statistic}`);
      const rising = Object.fromEntries(names.map((name, index) => [name, 10.5 + index * 10]));
      const equal = Object.fromEntries(names.map((name) => [name, 10.5]));
      expect(doubtsOf(a4PercentileOrder, serving(rising))).toEqual([]);
      expect(doubtsOf(a4PercentileOrder, serving(equal))).toEqual([]);
      for (const [index, name] of names.entries()) {
        if (index === 0) continue;
        expect(severities(a4PercentileOrder, serving({ ...rising, [name]: 0.5 })), name).toContain('violation');
      }
    },
  );

  test('statistics that were not given are passed over, not taken for zero', () => {
    expect(doubtsOf(a4PercentileOrder, serving({ itl_ms_min: 5.5, itl_ms_p99: 40.5 }))).toEqual([]);
    expect(severities(a4PercentileOrder, serving({ itl_ms_min: 50.5, itl_ms_p99: 40.5 }))).toEqual(['violation']);
  });

  test('mean and deviation have no place in the order', () => {
    expect(
      doubtsOf(a4PercentileOrder, serving({ itl_ms_mean: 500, itl_ms_sd: 900, itl_ms_p50: 5, itl_ms_p99: 40 })),
    ).toEqual([]);
  });

  // Tools print some columns with fewer digits than others; an honest 9.98 written as 10 is not above 9.996.
  test('figures of different precision are compared within their rounding', () => {
    expect(doubtsOf(a4PercentileOrder, serving({ tpot_ms_p90: 10, tpot_ms_p95: 9.996 }))).toEqual([]);
    expect(severities(a4PercentileOrder, serving({ tpot_ms_p90: 12, tpot_ms_p95: 9.996 }))).toEqual(['violation']);
  });
});

describe('A5, mean within its range', () => {
  test.each([
    [{ ttft_ms_mean: 50.5, ttft_ms_min: 10.5, ttft_ms_max: 90.5 }, []],
    [{ ttft_ms_mean: 10.5, ttft_ms_min: 10.5, ttft_ms_max: 10.5 }, []],
    [{ ttft_ms_mean: 9.4, ttft_ms_min: 10.5, ttft_ms_max: 90.5 }, ['violation']],
    [{ ttft_ms_mean: 91.6, ttft_ms_min: 10.5, ttft_ms_max: 90.5 }, ['violation']],
    [{ ttft_ms_mean: 91.6, ttft_ms_max: 90.5 }, ['violation']],
    [{ ttft_ms_mean: 9.4, ttft_ms_min: 10.5 }, ['violation']],
    [{ ttft_ms_mean: 50.5 }, []],
    [{ ttft_ms_min: 10.5, ttft_ms_max: 90.5 }, []],
    [{}, []],
  ])('%j: %j', (metrics, expected) => {
    expect(severities(a5MeanWithinRange, serving(metrics))).toEqual(expected);
  });

  test('the sentence and the evidence say which bound was not given', () => {
    const [verdict] = doubtsOf(a5MeanWithinRange, serving({ e2e_ms_mean: 91.6, e2e_ms_max: 90.5 }));
    expect(verdict?.message).toBe('E2E latency: the mean (91.6 ms) lies outside its own range ? to 90.5 ms.');
    expect(verdict?.evidence).toEqual({ metric: 'e2e_ms', mean: 91.6, min: null, max: 90.5 });
  });

  // Three times 0.1 sum to 0.30000000000000004: an honest run of equal latencies must not be quarantined for it.
  test('the last bit of a floating-point mean is no contradiction', () => {
    const mean = (0.1 + 0.1 + 0.1) / 3;
    expect(mean).toBeGreaterThan(0.1);
    expect(doubtsOf(a5MeanWithinRange, serving({ itl_ms_mean: mean, itl_ms_min: 0.1, itl_ms_max: 0.1 }))).toEqual([]);
  });

  test('a mean printed with fewer digits than the extremes is compared within its rounding', () => {
    expect(doubtsOf(a5MeanWithinRange, serving({ itl_ms_mean: 10, itl_ms_min: 10.04, itl_ms_max: 10.31 }))).toEqual([]);
  });
});

describe('A15, first token before the last', () => {
  test('each statistic is compared with its own', () => {
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

  test('deviations are not ordered, and one of the two says nothing', () => {
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_sd: 500, e2e_ms_sd: 3 }))).toEqual([]);
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_mean: 500 }))).toEqual([]);
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_p50: 500, e2e_ms_p99: 3 }))).toEqual([]);
  });

  // A batch whose answers are one token: TTFT printed in milliseconds, latency in hundredths of a second.
  test('figures of different precision are compared within their rounding', () => {
    expect(doubtsOf(a15TtftWithinE2e, serving({ ttft_ms_mean: 270.4, e2e_ms_mean: 270 }))).toEqual([]);
  });
});
