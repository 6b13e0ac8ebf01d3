import { describe, expect, test } from 'vitest';
import { type ComparedLoad, judgePairs, pairsOf, verdictSentence } from './verdict.ts';

type Ratio = readonly [ratio: number, low?: number, high?: number];

const compared = ([ratio, low, high]: Ratio) => ({
  compared: { ratio, interval: low === undefined || high === undefined ? null : ([low, high] as const) },
});

/** A load with the given users and the ratio of B to A for each metric. */
function load(users: number, metrics: Record<string, Ratio>): ComparedLoad {
  return {
    load: { mode: 'concurrency', level: users },
    metrics: Object.entries(metrics).map(([metric, ratio]) => ({ metric, figures: [null, compared(ratio)] })),
  };
}

const say = (loads: readonly ComparedLoad[], usdPerHour?: (number | null)[]) =>
  verdictSentence(loads, ['A', 'B'], usdPerHour);

describe('paired loads', () => {
  test('have the geometric mean of their ratios and of their interval bounds', () => {
    const loads = [load(1, { user_tok_s: [1.2, 1.1, 1.3] }), load(2, { user_tok_s: [1.8, 1.6, 2.0] })];
    const verdict = judgePairs(pairsOf(loads, 'user_tok_s', 1));
    expect(verdict?.gain).toBeCloseTo(Math.sqrt(1.2 * 1.8), 12);
    expect(verdict?.interval?.[0]).toBeCloseTo(Math.sqrt(1.1 * 1.6), 12);
    expect(verdict?.interval?.[1]).toBeCloseTo(Math.sqrt(1.3 * 2.0), 12);
    expect(verdict).toMatchObject({ loads: 2, better: 2, worse: 0, unsettled: 0, unknown: 0 });
  });

  test('are inverted for a metric where lower is better', () => {
    const [pair] = pairsOf([load(1, { ttft_ms_mean: [0.5, 0.4, 0.8] })], 'ttft_ms_mean', 1);
    expect(pair).toEqual({ users: 1, gain: 2, interval: [1.25, 2.5] });
  });

  test('without an interval are counted, but excluded from the mean', () => {
    const loads = [load(1, { user_tok_s: [1.2, 1.1, 1.3] }), load(2, { user_tok_s: [9] })];
    expect(judgePairs(pairsOf(loads, 'user_tok_s', 1))).toMatchObject({ loads: 2, better: 1, unknown: 1, gain: 1.2 });
  });

  test('give no verdict if there are none', () => {
    expect(judgePairs([])).toBeNull();
    expect(say([])).toBeNull();
  });
});

describe('the sentence', () => {
  test('states a difference at each load whose interval excludes 1', () => {
    const loads = [1, 2, 4].map((users) => load(users, { user_tok_s: [1.21, 1.18, 1.24] }));
    expect(say(loads)).toBe('B is 1.21× (1.18 to 1.24) faster per user than A at 3 of 3 loads.');
  });

  test('names the first system if it is better, with the interval inverted', () => {
    expect(say([load(1, { user_tok_s: [0.8, 0.75, 0.9] })])).toBe(
      'A is 1.25× (1.11 to 1.33) faster per user than B at 1 of 1 load.',
    );
  });

  test('counts loads that are behind, without a difference, or without an interval', () => {
    const loads = [
      load(1, { user_tok_s: [2, 1.9, 2.1] }),
      load(2, { user_tok_s: [0.9, 0.85, 0.95] }),
      load(4, { user_tok_s: [1, 0.9, 1.1] }),
      load(8, { user_tok_s: [1.1] }),
    ];
    expect(say(loads)).toBe(
      'B is 1.22× (1.13 to 1.30) faster per user than A on average: ahead at 1 of 4 loads, behind at 1, no difference shown at 1, interval unknown at 1.',
    );
  });

  test('states no difference if the interval of the mean contains 1', () => {
    const loads = [load(1, { user_tok_s: [1.5, 1.4, 1.6] }), load(2, { user_tok_s: [0.67, 0.62, 0.72] })];
    expect(say(loads)).toBe(
      'No difference in speed per user between A and B is shown on average over 2 loads (ratio 0.932 to 1.07): B ahead at 1, A ahead at 1.',
    );
  });

  test('states unknown intervals instead of a difference', () => {
    expect(say([load(1, { user_tok_s: [1.5] }), load(2, { user_tok_s: [1.5] })])).toBe(
      'B measured 1.50× faster per user than A on average over 2 loads, but the intervals are unknown, so a difference is not shown.',
    );
  });

  test('states once that the intervals of several systems are unknown', () => {
    const figures = [null, compared([2.085]), compared([0.259]), compared([1]), compared([1.5, 1.4, 1.6])];
    const loads = [{ load: { mode: 'batch', level: 1 }, metrics: [{ metric: 'decode_tok_s', figures }] }];
    expect(verdictSentence(loads, ['A', 'B', 'C', 'D', 'E'])).toBe(
      'Measured decode speed on average over 1 load: B 2.08× better than A, A 3.86× better than C, D the same as A, but the intervals are unknown, so a difference is not shown; E is 1.50× (1.40 to 1.60) faster in decode than A at 1 of 1 load.',
    );
  });

  test('prints more digits of a ratio that would round to 1', () => {
    expect(say([load(1, { user_tok_s: [1.0004, 1.0002, 1.0012] })])).toContain('1.0004× (1.0002 to 1.001)');
  });

  test('uses a metric that most loads have', () => {
    const loads = [1, 2, 4].map((users) => load(users, { ttft_ms_mean: [0.5, 0.4, 0.8] }));
    loads.push(load(8, { user_tok_s: [1.5, 1.4, 1.6], ttft_ms_mean: [0.5, 0.4, 0.8] }));
    expect(say(loads)).toBe('B is 2.00× (1.25 to 2.50) faster to the first token than A at 4 of 4 loads.');
  });

  test('has a clause for each further system', () => {
    const figures = [null, compared([1.2, 1.1, 1.3]), compared([1, 0.9, 1.1]), null];
    const loads = [{ load: { mode: 'batch', level: 1 }, metrics: [{ metric: 'decode_tok_s', figures }] }];
    expect(verdictSentence(loads, ['A', 'B', 'C', 'D'])).toBe(
      'B is 1.20× (1.10 to 1.30) faster in decode than A at 1 of 1 load; no difference in decode speed between A and C is shown on average over 1 load (ratio 0.900 to 1.10); D and A share no load with a known ratio of decode speed.',
    );
  });
});

describe('the cheaper system', () => {
  const loads = (ratios: readonly Ratio[]) =>
    ratios.map((ratio, at) => load(2 ** at, { user_tok_s: [1.2, 1.1, 1.3], output_tok_s: ratio }));
  const less: Ratio = [0.8, 0.7, 0.9];
  const more: Ratio = [1.5, 1.4, 1.6];
  const same: Ratio = [1, 0.9, 1.1];
  const cost = (ratios: readonly Ratio[], usd: (number | null)[] = [2, 2]) => say(loads(ratios), usd)?.split('; ')[1];

  test('is stated for the measured loads', () => {
    expect(cost([less, less, same, more])).toBe(
      'A is cheaper per output token up to 2 users, B is cheaper per output token from 8 users.',
    );
    expect(cost([less, less])).toBe('A is cheaper per output token at all 2 loads.');
    expect(cost([less, more, less])).toBeUndefined();
  });

  test('depends on the prices, and is omitted without them', () => {
    expect(cost([more, more], [1, 4])).toBe('A is cheaper per output token at all 2 loads.');
    expect(cost([less], [2, null])).toBeUndefined();
    expect(say(loads([less]))).not.toContain('cheaper');
  });

  test('is omitted for a load at which workloads disagree', () => {
    const other = load(1, { user_tok_s: [1.2, 1.1, 1.3], output_tok_s: same });
    expect(say([...loads([less, more]), other], [2, 2])).toBe(
      'B is 1.20× (1.10 to 1.30) faster per user than A at 3 of 3 loads; B is cheaper per output token from 2 users.',
    );
  });
});

test('the sentence about bursts is about throughput: each request waits for the others', () => {
  const metrics = { user_tok_s: [0.6], output_tok_s: [3] } as const;
  const burst = { ...load(1000, metrics), load: { mode: 'burst', level: 1000 } };
  expect(say([burst])).toContain('higher in output throughput');
  expect(say([load(8, metrics)])).toContain('faster per user');
});
