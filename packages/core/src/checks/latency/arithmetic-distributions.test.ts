import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../adapters/adapter.ts';
import { metricFamilies } from '../../metrics/index.ts';
import { percentile } from '../../statistics/percentile.ts';
import type { Result } from '../../subjects/result.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords } from '../../testing/result.ts';
import type { Check } from '../check.ts';
import { a4PercentileOrder } from './a4-percentile-order.ts';
import { a5MeanWithinRange } from './a5-mean-within-range.ts';
import { a6MedianNearMean } from './a6-median-near-mean.ts';
import { a7PercentileNearMean } from './a7-percentile-near-mean.ts';

const serving = (metrics: Metrics, over: ResultWords = {}) =>
  makeResult({ metrics, load: { mode: 'concurrency', level: 32 }, ...over });
const severities = (check: Check, result: Result) => doubtsOf(check, result).map((doubt) => doubt.severity);

describe('A4, order of percentiles', () => {
  test('reports p50 120, p90 110, p99 400', () => {
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
    'accepts rising and equal %s, and reports any decrease',
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

  test('ignores missing statistics', () => {
    expect(doubtsOf(a4PercentileOrder, serving({ itl_ms_min: 5.5, itl_ms_p99: 40.5 }))).toEqual([]);
    expect(severities(a4PercentileOrder, serving({ itl_ms_min: 50.5, itl_ms_p99: 40.5 }))).toEqual(['violation']);
  });

  test('ignores mean and deviation', () => {
    expect(
      doubtsOf(a4PercentileOrder, serving({ itl_ms_mean: 500, itl_ms_sd: 900, itl_ms_p50: 5, itl_ms_p99: 40 })),
    ).toEqual([]);
  });

  // Tools print columns with different precision: an honest 9.98 written as 10 does not exceed 9.996.
  test('compares figures of different precision within their rounding', () => {
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

  test('states which bound is missing', () => {
    const [verdict] = doubtsOf(a5MeanWithinRange, serving({ e2e_ms_mean: 91.6, e2e_ms_max: 90.5 }));
    expect(verdict?.message).toBe('E2E latency: the mean (91.6 ms) is outside its range ? to 90.5 ms.');
    expect(verdict?.evidence).toEqual({ metric: 'e2e_ms', mean: 91.6, min: null, max: 90.5 });
    const [other] = doubtsOf(a5MeanWithinRange, serving({ e2e_ms_mean: 9.4, e2e_ms_min: 10.5 }));
    expect(other?.message).toBe('E2E latency: the mean (9.4 ms) is outside its range 10.5 to ? ms.');
  });

  // Three times 0.1 sum to 0.30000000000000004. An honest run of equal latencies must not be quarantined for it.
  test('ignores the last bit of a floating-point mean', () => {
    const mean = (0.1 + 0.1 + 0.1) / 3;
    expect(mean).toBeGreaterThan(0.1);
    expect(doubtsOf(a5MeanWithinRange, serving({ itl_ms_mean: mean, itl_ms_min: 0.1, itl_ms_max: 0.1 }))).toEqual([]);
  });

  test('compares a mean with fewer digits than the extremes within its rounding', () => {
    expect(doubtsOf(a5MeanWithinRange, serving({ itl_ms_mean: 10, itl_ms_min: 10.04, itl_ms_max: 10.31 }))).toEqual([]);
  });
});

describe('A4, statistics beyond the registry', () => {
  const of = (extra: Result['extra']) =>
    serving({ ttft_ms_p50: 100.5, ttft_ms_p90: 200.5, ttft_ms_p99: 300.5 }, { extra });

  test.each<[Result['extra'], string[]]>([
    [{ ttft_ms_p75: 150.5 }, []],
    [{ ttft_ms_p75: 99.4 }, ['violation']],
    [{ ttft_ms_p75: 201.6 }, ['violation']],
    [{ ttft_ms_p999: 300.5 }, []],
    [{ ttft_ms_p999: 299.4 }, ['violation']],
    [{ 'ttft_ms_p99.9': 299.4 }, ['violation']],
    [{ ttft_ms_p25: 101.6 }, ['violation']],
    [{ ttft_ms_p75: 'n/a' }, []],
  ])('%j: %j', (extra, expected) => expect(severities(a4PercentileOrder, of(extra))).toEqual(expected));

  test('does not apply to a single statistic', () => {
    expect(answerOf(a4PercentileOrder, serving({ ttft_ms_p50: 1, itl_ms_p99: 2 }))).toBe('not_applicable');
    expect(answerOf(a4PercentileOrder, serving({ ttft_ms_p50: 1, ttft_ms_p99: 2 }))).toBe('pass');
  });
});

describe('A5, deviation within its range', () => {
  const ttft = (sd: number, over: Metrics = {}) =>
    serving({ ttft_ms_min: 10.5, ttft_ms_max: 110.5, ttft_ms_sd: sd, ...over });

  // Half of 100 ms and of its rounding of 0.1: 50.05 x sqrt(100 / 99) = 50.302. The deviation may be off by 0.05.
  test.each([
    [50.3, 100, []],
    [50.4, 100, ['violation']],
    // Two samples: 100.1 / sqrt(2) = 70.781.
    [70.8, 2, []],
    [70.9, 2, ['violation']],
    [70.8, undefined, []],
    [70.9, undefined, ['violation']],
    [70.8, 1, []],
  ])('%d ms of %j requests: %j', (sd, requests_ok, expected) => {
    const count: Metrics = requests_ok === undefined ? {} : { requests_ok };
    expect(severities(a5MeanWithinRange, ttft(sd, count))).toEqual(expected);
  });

  test('allows no deviation for a single value', () => {
    const same = { ttft_ms_min: 10.5, ttft_ms_max: 10.5, requests_ok: 1 };
    expect(severities(a5MeanWithinRange, serving({ ...same, ttft_ms_sd: 0 }))).toEqual([]);
    expect(severities(a5MeanWithinRange, serving({ ...same, ttft_ms_sd: 3.5 }))).toEqual(['violation']);
  });

  // The last bit of such a mean is 2.3e-10.
  test('allows equal values the deviation of a mean that is one bit off', () => {
    const same = { e2e_ms_min: 1234567.8901234567, e2e_ms_max: 1234567.8901234567, requests_ok: 100 };
    expect(answerOf(a5MeanWithinRange, serving({ ...same, e2e_ms_sd: 2.3283064365386963e-10 }))).toBe('pass');
    expect(severities(a5MeanWithinRange, serving({ ...same, e2e_ms_sd: 0.0125 }))).toEqual(['violation']);
  });

  // Of 100 requests, as few as two may have had more than one token. Their TPOT then scatters like two samples.
  test('does not use the number of requests as the number of TPOT or per-chunk ITL samples', () => {
    for (const base of ['tpot_ms', 'itl_ms']) {
      const figures = { [`${base}_min`]: 10.5, [`${base}_max`]: 110.5, [`${base}_sd`]: 70.5 };
      expect(severities(a5MeanWithinRange, serving({ ...figures, requests_ok: 100, output_tokens: 900 }))).toEqual([]);
    }
    const gaps = { itl_ms_min: 10.5, itl_ms_max: 110.5, itl_ms_sd: 70.5, requests_ok: 100, output_tokens: 900 };
    expect(severities(a5MeanWithinRange, serving(gaps, { definitions: { itl_ms: 'per_token' } }))).toEqual([
      'violation',
    ]);
  });

  test('states the maximum deviation, with a separate code', () => {
    const [doubt] = doubtsOf(a5MeanWithinRange, ttft(90.5, { requests_ok: 100 }));
    expect(doubt?.code).toBe('deviation_above_range');
    expect(doubt?.message).toBe(
      'TTFT: a standard deviation of 90.5 ms is impossible for values from 10.5 to 110.5 ms; the maximum is 50.3 ms.',
    );
  });
});

describe('A6, mean and median', () => {
  test.each([
    [{ e2e_ms_mean: 100, e2e_ms_p50: 160, e2e_ms_sd: 20 }, ['violation']],
    // Each of the three may be off by 0.05 through rounding.
    [{ e2e_ms_mean: 100.5, e2e_ms_p50: 120.6, e2e_ms_sd: 20.1 }, []],
    [{ e2e_ms_mean: 100.5, e2e_ms_p50: 120.7, e2e_ms_sd: 20.1 }, []],
    [{ e2e_ms_mean: 100.5, e2e_ms_p50: 120.8, e2e_ms_sd: 20.1 }, ['violation']],
    [{ e2e_ms_mean: 100.5, e2e_ms_p50: 80.2, e2e_ms_sd: 20.1 }, ['violation']],
    [{ e2e_ms_mean: 100.5, e2e_ms_p50: 180.5 }, []],
  ])('%j: %j', (metrics, expected) => expect(severities(a6MedianNearMean, serving(metrics))).toEqual(expected));

  test('does not apply without mean, median and deviation of one latency', () => {
    expect(answerOf(a6MedianNearMean, serving({ e2e_ms_mean: 1, e2e_ms_p50: 9, ttft_ms_sd: 2 }))).toBe(
      'not_applicable',
    );
  });
});

describe('A7, percentiles and mean', () => {
  test.each([
    [{ itl_ms_mean: 50, itl_ms_p50: 120 }, ['violation']],
    // 2 x (50.5 + 0.05) + 0.05.
    [{ itl_ms_mean: 50.5, itl_ms_p50: 101.1 }, []],
    [{ itl_ms_mean: 50.5, itl_ms_p50: 101.2 }, ['violation']],
    [{ itl_ms_mean: 50.5, itl_ms_p90: 505.5 }, []],
    [{ itl_ms_mean: 50.5, itl_ms_p90: 505.7 }, ['violation']],
    [{ itl_ms_mean: 50.5, itl_ms_p95: 1011.2 }, ['violation']],
    [{ itl_ms_mean: 50.5, itl_ms_p99: 5055.0 }, []],
    [{ itl_ms_mean: 50.5, itl_ms_p99: 5056.5 }, ['violation']],
  ])('%j: %j', (metrics, expected) => expect(severities(a7PercentileNearMean, serving(metrics))).toEqual(expected));

  test('does not apply to a mean or a percentile alone', () => {
    expect(answerOf(a7PercentileNearMean, serving({ itl_ms_mean: 5, ttft_ms_p50: 500 }))).toBe('not_applicable');
  });
});

/** Statistics as tools calculate them: two kinds of percentiles and two kinds of deviations. */
function summaryOf(values: readonly number[], interpolates: boolean, divisor: number): Metrics {
  const n = values.length;
  const sorted = [...values].sort((a, b) => a - b);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const at = (p: number) =>
    interpolates ? percentile(sorted, p) : (sorted[Math.max(0, Math.ceil((p / 100) * n) - 1)] ?? Number.NaN);
  return {
    requests_ok: n,
    e2e_ms_mean: mean,
    e2e_ms_sd: divisor === 0 ? 0 : Math.sqrt(squares / divisor),
    e2e_ms_min: at(0),
    e2e_ms_p50: at(50),
    e2e_ms_p90: at(90),
    e2e_ms_p95: at(95),
    e2e_ms_p99: at(99),
    e2e_ms_max: at(100),
  };
}

describe('genuine samples', () => {
  const checks = [a4PercentileOrder, a5MeanWithinRange, a6MedianNearMean, a7PercentileNearMean];
  /** The worst case: nearly all samples at one end of the range and the rest at the other. */
  const lopsided = fc
    .tuple(fc.integer({ min: 1, max: 400 }), fc.nat(400), fc.double({ min: 1e-9, max: 1, noNaN: true }), fc.boolean())
    .map(([n, ones, low, isOne]) =>
      Array.from({ length: n }, (_, index) => (index < (isOne ? 1 : Math.min(ones, n)) ? 1000 : low)),
    );
  // A double cannot represent the squares of times far below a clock's resolution.
  const time = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => (value < 1e-9 ? 0 : value));
  const any = fc.array(time, { minLength: 1, maxLength: 50 });

  test('have no findings, for any size, skew, interpolation, divisor and rounding', () => {
    fc.assert(
      fc.property(
        fc.oneof(lopsided, any),
        fc.boolean(),
        fc.boolean(),
        fc.option(fc.nat(4)),
        (values, interpolates, isSample, digits) => {
          const metrics = summaryOf(values, interpolates, isSample ? values.length - 1 : values.length);
          const written = Object.fromEntries(
            Object.entries(metrics).map(([name, value]) => [
              name,
              digits === null ? value : Number(value.toFixed(digits)),
            ]),
          );
          for (const check of checks) expect(doubtsOf(check, serving(written))).toEqual([]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
