import { describe, expect, test } from 'vitest';
import { anchorsOf, lookupsOf } from './anchors.ts';
import { figuresOf, type StatedResult } from './figures.ts';

const of = (metrics: StatedResult['metrics'], more: Partial<StatedResult> = {}) =>
  figuresOf({ metrics, definitions: {}, repeats: null, load: { mode: 'concurrency', level: 8 }, ...more });
const independent = (...given: Parameters<typeof of>) =>
  of(...given)
    .filter(({ isIndependent }) => isIndependent)
    .map(({ metric }) => metric);

describe('the digits of a figure', () => {
  test.each([
    [117.46, 5, 0.005],
    [0.0123, 3, 0.00005],
    [211, 3, 0.5],
    // It is unknown whether the zeros were measured.
    [7500, 2, 50],
    // 0.27 s in ms.
    [270.00000000000006, 2, 5],
  ])('%d', (value, digits, halfUnit) => {
    const [figure] = of({ ttft_ms_mean: value });
    expect(figure).toMatchObject({ metric: 'ttft_ms_mean', value, digits, sense: 'time' });
    expect(figure?.halfUnit).toBeCloseTo(halfUnit, 12);
  });

  test('are no more than those of the figure from which ours was computed', () => {
    // A latency of 0.26 s, and a rate that the parser calculated from it.
    const [, rate] = of({ e2e_ms_mean: 260, output_tok_s: 32 / 0.26 }, { load: { mode: 'batch', level: 1 } });
    expect(rate).toMatchObject({ metric: 'output_tok_s', digits: 2 });
  });
});

test('ignores counts, requested quantities and values that are not positive', () => {
  expect(of({ requests_ok: 100, requests_failed: 3, input_tokens: 1e5, output_tokens: 2e4, ttft_ms_min: 0 })).toEqual(
    [],
  );
});

test('includes the deviation of repetitions', () => {
  const [, sd] = of({ decode_tok_s: 278.95 }, { repeats: { sd: { decode_tok_s: 0.23 } } });
  expect(sd).toMatchObject({ metric: 'decode_tok_s_repeats_sd', value: 0.23, digits: 2, sense: 'rate' });
});

describe('counts only one of several dependent figures', () => {
  test('for rates of one run, and its duration', () => {
    const rates = { req_s: 1.234, output_tok_s: 157.95, input_tok_s: 1263.6, total_tok_s: 1421.57, goodput_req_s: 1.2 };
    expect(independent({ ...rates, duration_s: 81.04 })).toEqual(['total_tok_s']);
  });

  test('for a mean latency with its TTFT and TPOT', () => {
    const latencies = { ttft_ms_mean: 211.4, tpot_ms_mean: 20.33, e2e_ms_mean: 2793.3 };
    expect(independent(latencies)).toEqual(['ttft_ms_mean', 'tpot_ms_mean']);
    expect(independent({ ...latencies, itl_ms_mean: 20.3, user_tok_s: 49.19, decode_tok_s: 393.5 })).toHaveLength(2);
    expect(independent({ ttft_ms_mean: 211.4, e2e_ms_mean: 2793.3 })).toHaveLength(2);
  });

  test('for a percentile within 5 % of the mean, but not further off', () => {
    expect(independent({ tpot_ms_mean: 20.33, tpot_ms_p50: 20.11, itl_ms_p50: 20.09, tpot_ms_p99: 27.71 })).toEqual([
      'tpot_ms_mean',
      'tpot_ms_p99',
    ]);
  });

  test('for a throughput and a latency of sequential requests', () => {
    const metrics = { req_s: 0.3571, e2e_ms_mean: 2801.3 };
    expect(independent(metrics)).toHaveLength(2);
    expect(independent(metrics, { load: { mode: 'concurrency', level: 1 } })).toHaveLength(1);
    expect(independent(metrics, { definitions: { e2e_ms: 'from_run_start' } })).toHaveLength(1);
  });
});

describe('the anchors of a result', () => {
  const metrics = { total_tok_s: 900, output_tok_s: 100, req_s: 2, ttft_ms_mean: 50, tpot_ms_mean: 9, tpot_ms_p99: 12 };

  test('are a throughput and a latency, or any two figures', () => {
    expect(anchorsOf({ metrics })).toEqual([
      { metric: 'output_tok_s', value: 100 },
      { metric: 'ttft_ms_mean', value: 50 },
    ]);
    expect(anchorsOf({ metrics: { req_s: 2, total_tok_s: 900 } }).map(({ metric }) => metric)).toEqual([
      'total_tok_s',
      'req_s',
    ]);
    expect(anchorsOf({ metrics: { ttft_ms_mean: 50 } })).toEqual([{ metric: 'ttft_ms_mean', value: 50 }]);
    expect(anchorsOf({ metrics: {} })).toEqual([]);
  });

  test('are found by a copy without one of them and with the rest scaled by 10 %', () => {
    const copies = [
      { ...metrics, output_tok_s: undefined, ttft_ms_mean: 45 },
      { ...metrics, ttft_ms_mean: undefined, output_tok_s: 110 },
    ];
    for (const { output_tok_s, ttft_ms_mean, ...rest } of copies) {
      const copy = {
        ...rest,
        ...(output_tok_s === undefined ? {} : { output_tok_s }),
        ...(ttft_ms_mean === undefined ? {} : { ttft_ms_mean }),
      };
      const isFound = lookupsOf({ metrics: copy }).some(({ metric, low, high }) =>
        anchorsOf({ metrics }).some((anchor) => anchor.metric === metric && low < anchor.value && anchor.value < high),
      );
      expect(isFound).toBe(true);
    }
  });
});
