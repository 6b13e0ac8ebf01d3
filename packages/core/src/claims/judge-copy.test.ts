import { describe, expect, test } from 'vitest';
import type { Metrics } from '../adapters/adapter.ts';
import { createRandom, type Random } from '../testing/random.ts';
import { figuresOf } from './figures.ts';
import { type ComparedRow, judgeCopy } from './judge-copy.ts';

/** Normally distributed with mean 0 and deviation 1. */
const normal = (random: Random) => Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());

const rowOf = (key: string, metrics: Metrics, sd: Metrics = {}): ComparedRow => ({
  key,
  figures: figuresOf({ metrics, definitions: {}, repeats: { sd }, load: { mode: 'concurrency', level: 8 } }),
});

const mapMetrics = (metrics: Metrics, to: (value: number, name: string) => number): Metrics =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, to(value, name)]));

/** A run as `vllm bench serve` prints it. */
const served: Metrics = {
  duration_s: 81.04,
  req_s: 12.34,
  output_tok_s: 1579.53,
  total_tok_s: 14215.77,
  ttft_ms_mean: 211.42,
  ttft_ms_p50: 187.93,
  ttft_ms_p99: 803.18,
  tpot_ms_mean: 20.33,
  tpot_ms_p50: 20.11,
  tpot_ms_p99: 27.71,
  itl_ms_mean: 20.31,
  itl_ms_p50: 18.07,
  itl_ms_p99: 61.55,
};
/** Rates of llama-bench: one figure a row, with its deviation. */
const lines = (change = (rate: number) => rate): ComparedRow[] =>
  [278.95, 14803.21, 13977.64, 211.37, 9120.08, 187.43, 66.12, 3021.77].map((rate, place) =>
    rowOf(`test ${place}`, { [place % 2 === 0 ? 'decode_tok_s' : 'prefill_tok_s']: change(rate) } as Metrics, {
      [place % 2 === 0 ? 'decode_tok_s' : 'prefill_tok_s']: Number((rate * 0.00123).toPrecision(2)),
    }),
  );

const rounded = (digits: number) => (value: number) => Number(value.toPrecision(digits));
const isRate = (name: string) => name.endsWith('_s') && name !== 'duration_s';
const without = (metrics: Metrics, ...names: string[]): Metrics =>
  Object.fromEntries(Object.entries(metrics).filter(([name]) => !names.includes(name)));

describe('honest repetitions', () => {
  const names = ['output_tok_s', 'ttft_ms_mean', 'ttft_ms_p50', 'ttft_ms_p99', 'tpot_ms_mean', 'tpot_ms_p99'];
  const more = ['itl_ms_p99', 'e2e_ms_p50', 'e2e_ms_p99', 'power_w'];
  const comparisons = 2000;

  /** Rows of at most ten figures, each with a noise of 0.5 % on both sides. */
  function pairOf(random: Random, figures: number, digits: number): [ComparedRow[], ComparedRow[]] {
    const chosen = [...names, ...more].slice(0, Math.min(figures, 10));
    const rows = Array.from({ length: figures / chosen.length }, (_, key) => {
      const truth = Object.fromEntries(chosen.map((name, place) => [name, 10 ** random.between(1, 2) * 4 ** place]));
      const measured = () => mapMetrics(truth, (value) => rounded(digits)(value * (1 + 0.005 * normal(random))));
      return [rowOf(`${key}`, measured()), rowOf(`${key}`, measured())] as const;
    });
    return [rows.map(([one]) => one), rows.map(([, other]) => other)];
  }

  test.each([4, 5, 6, 10, 30].flatMap((figures) => [3, 6].map((digits) => [figures, digits] as const)))(
    'with %d figures of %d digits are detected as copies in fewer than 1 of 1,000',
    (figures, digits) => {
      const random = createRandom(figures * 10 + digits);
      const copies = Array.from({ length: comparisons }, () => judgeCopy(...pairOf(random, figures, digits)));
      expect(copies.filter((copy) => copy !== null).length).toBeLessThan(comparisons / 1000);
    },
  );

  test('with one figure per row are not copies', () => {
    const random = createRandom(7);
    const noisy = () => lines((rate) => rounded(6)(rate * (1 + 0.005 * normal(random))));
    for (let i = 0; i < 500; i++) expect(judgeCopy(noisy(), noisy())).toBeNull();
  });

  test.each([2, 3])(
    'with %d rows of one figure and an equal deviation are detected as copies in fewer than 1 of 1,000',
    (rows) => {
      const random = createRandom(rows);
      const noisy = () => lines((rate) => rounded(6)(rate * (1 + 0.005 * normal(random)))).slice(0, rows);
      const copies = Array.from({ length: 4 * comparisons }, () => judgeCopy(noisy(), noisy()));
      expect(copies.filter((copy) => copy !== null).length).toBeLessThan((4 * comparisons) / 1000);
    },
  );

  test('of a slower system with the same requested quantities are not copies', () => {
    const random = createRandom(11);
    const asked = { requests_ok: 1000, input_tokens: 1_024_000, output_tokens: 128_000 };
    const noisy = (slower: number) =>
      mapMetrics(served, (value) => rounded(6)(value * slower * (1 + 0.005 * normal(random))));
    for (let i = 0; i < 500; i++) {
      expect(judgeCopy([rowOf('', { ...noisy(1), ...asked })], [rowOf('', { ...noisy(1.013), ...asked })])).toBeNull();
    }
  });
});

describe('detects a copy', () => {
  const both = (change: (value: number, name: string) => number) => mapMetrics(served, change);
  const disguises: [how: string, copy: Metrics, reason: string, factor: number][] = [
    ['unchanged', served, 'figures', 1],
    ['with all figures 0.05 % higher', both((value) => value * 1.0005), 'figures', 1],
    ['with all figures 0.05 % higher and rounded', both((value) => rounded(4)(value * 1.0005)), 'figures', 1],
    [
      'with 0.02 % more on one figure and less on the next',
      both((value, name) => value * (name.length % 2 ? 1.0002 : 0.9998)),
      'figures',
      1,
    ],
    ['with all figures 3 % lower', both((value) => value * 0.97), 'figures_scaled', 0.97],
    ['with all figures 10 % higher', both((value) => rounded(5)(value * 1.1)), 'figures_scaled', 1.1],
    [
      'with its clock 4 % faster',
      both((value, name) => (isRate(name) ? value / 0.96 : value * 0.96)),
      'figures_scaled',
      0.96,
    ],
    ['with a higher output throughput', { ...served, output_tok_s: 1710.2, total_tok_s: 15391.8 }, 'figures', 1],
    ['with a different TTFT', both((value, name) => (name.startsWith('ttft') ? value * 0.8 : value)), 'figures', 1],
    [
      'without half of its figures',
      without(served, 'output_tok_s', 'total_tok_s', 'ttft_ms_p50', 'itl_ms_p50', 'itl_ms_mean', 'tpot_ms_p50'),
      'figures',
      1,
    ],
    ['as printed by a console instead of JSON', both((value) => value + 0.00123), 'figures', 1],
  ];
  test.each(disguises)('%s', (_, copy, reason, factor) => {
    const found = judgeCopy([rowOf('p', served)], [rowOf('p', copy)]);
    expect(found).toMatchObject({ isCopy: true, reason });
    expect(found?.factor).toBeCloseTo(factor, 3);
    // An artifact relabeled by its first account is also a copy.
    expect(judgeCopy([rowOf('p', served)], [rowOf('another load', copy)])).toMatchObject({ reason });
  });

  test('with one figure per row, all changed slightly or by a common factor', () => {
    expect(
      judgeCopy(
        lines(),
        lines((rate) => rate * 1.0005),
      ),
    ).toMatchObject({ reason: 'figures' });
    expect(
      judgeCopy(
        lines(),
        lines((rate) => rate * 0.95),
      ),
    ).toMatchObject({ reason: 'figures_scaled' });
    expect(judgeCopy(lines(), lines((rate) => rate * 0.95).slice(2))).toMatchObject({ reason: 'figures_scaled' });
    expect(
      judgeCopy(
        lines(),
        lines((rate) => rate * 0.85),
      ),
    ).toBeNull();
  });

  test('of a single figure, by its deviation', () => {
    const one = (rate: number, sd: number) => [rowOf('tg128', { decode_tok_s: rate }, { decode_tok_s: sd })];
    expect(judgeCopy(one(278.95, 0.23), one(278.95, 0.23))).toMatchObject({ reason: 'figures_and_sd', factor: 1 });
    expect(judgeCopy(one(278.95, 0.23), one(278.951234, 0.2312))).toMatchObject({ reason: 'figures_and_sd' });
    expect(judgeCopy(one(278.95, 0.23), one(278.95, 0.24))).toBeNull();
    expect(judgeCopy(one(278.95, 0.23), one(278.97, 0.23))).toBeNull();
    // Three digits and one digit of the deviation can be equal by chance.
    expect(judgeCopy(one(141, 2), one(141, 2))).toBeNull();
  });

  // A log of llama-bench: two tests, a figure and its deviation each.
  const log = (factor = 1): ComparedRow[] => {
    const printed = (value: number) => Number((value * factor).toFixed(2));
    return [
      rowOf('pp512', { prefill_tok_s: printed(16060.49) }, { prefill_tok_s: printed(530) }),
      rowOf('tg128', { decode_tok_s: printed(279.04) }, { decode_tok_s: printed(0.03) }),
    ];
  };

  test('of two figures that were changed slightly, with their deviations', () => {
    for (const factor of [1.0005, 0.9994, 1.0009])
      expect(judgeCopy(log(), log(factor)), `${factor}`).toMatchObject({ reason: 'figures_and_sd' });
    expect(judgeCopy(log(), log(1.0005))?.factor).toBeCloseTo(1.0005, 5);
    // Two figures are not enough at this distance.
    expect(judgeCopy(log(), log(1.004))).toBeNull();
    // One figure follows the factor and the other does not, or the deviation does not.
    expect(judgeCopy(log(), [log(1.0005)[0] ?? expect.fail(), log(0.9998)[1] ?? expect.fail()])).toBeNull();
    const other = rowOf('pp512', { prefill_tok_s: 16068.52 }, { prefill_tok_s: 471.12 });
    expect(judgeCopy(log(), [other, log(1.0005)[1] ?? expect.fail()])).toBeNull();
  });

  test('of few figures, by the duration', () => {
    const few = { duration_s: 81.04, ttft_ms_mean: 811.42 };
    expect(judgeCopy([rowOf('', few)], [rowOf('', few)])).toMatchObject({ reason: 'figures_and_duration' });
    expect(judgeCopy([rowOf('', few)], [rowOf('', { ...few, duration_s: 81.05 })])).toBeNull();
    expect(judgeCopy([rowOf('', { ttft_ms_mean: 811.42 })], [rowOf('', { ttft_ms_mean: 811.42 })])).toBeNull();
    expect(judgeCopy([rowOf('', {})], [rowOf('', {})])).toBeNull();
  });

  test('by its records, multiplied by a factor', () => {
    const random = createRandom(3);
    const sequence = Array.from({ length: 40 }, (): [number, number] => {
      const ttft = random.between(80, 400);
      return [rounded(5)(ttft), rounded(5)(ttft + random.between(900, 2000))];
    });
    const scaled = sequence.map(([ttft, e2e]): [number, number] => [rounded(5)(ttft * 0.98), rounded(5)(e2e * 0.98)]);
    const row = { key: '', figures: [] };
    const found = judgeCopy([{ ...row, sequence }], [{ ...row, sequence: scaled }]);
    expect(found).toMatchObject({ reason: 'records', evidence: { requests: 40 } });
    expect(found?.factor).toBeCloseTo(0.98, 4);
    expect(judgeCopy([{ ...row, sequence }], [{ ...row, sequence: null }])).toBeNull();
  });

  test('of ten thousand rows in time', () => {
    const rows = Array.from({ length: 10_000 }, (_, key) =>
      rowOf(`${key % 5000}`, { ...served, ttft_ms_mean: 100 + key }),
    );
    expect(
      judgeCopy(
        rows,
        rows.toReversed().map((row) => ({ ...row })),
      ),
    ).not.toBeNull();
  });
});
