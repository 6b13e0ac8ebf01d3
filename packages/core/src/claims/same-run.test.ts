import { expect, test } from 'vitest';
import type { Metrics } from '../adapters/adapter.ts';
import { createRandom } from '../testing/random.ts';
import { figuresOf } from './figures.ts';
import { isSameRun, type OwnRow } from './same-run.ts';

const rowOf = (metrics: Metrics, sd: Metrics = {}, more: Partial<OwnRow> = {}): OwnRow => ({
  key: '',
  figures: figuresOf({ metrics, definitions: {}, repeats: { sd }, load: { mode: 'concurrency', level: 8 } }),
  ...more,
});

const json: Metrics = {
  duration_s: 81.03712344,
  output_tok_s: 1579.5260713,
  ttft_ms_mean: 117.45987654,
  ttft_ms_p99: 803.17912,
  tpot_ms_mean: 20.3299871,
};
const console: Metrics = {
  duration_s: 81.04,
  output_tok_s: 1579.53,
  ttft_ms_mean: 117.46,
  ttft_ms_p99: 803.18,
  tpot_ms_mean: 20.33,
};

test('detects console text and JSON of one run, and the same file again', () => {
  expect(isSameRun(rowOf(console), rowOf(json))).toBe(true);
  expect(isSameRun(rowOf(json), rowOf(console))).toBe(true);
  expect(isSameRun(rowOf(json), rowOf(json))).toBe(true);
  const { duration_s: _, ...some } = console;
  expect(isSameRun(rowOf(some), rowOf(json))).toBe(true);
});

test('accepts a value rounded up from just above the midpoint', () => {
  const rounded = { ...console, req_s: 1.62, ttft_ms_p50: 76.09 };
  expect(isSameRun(rowOf(rounded), rowOf({ ...json, req_s: 1.6150037, ttft_ms_p50: 76.08500007 }))).toBe(true);
  expect(isSameRun(rowOf(rounded), rowOf({ ...json, req_s: 1.6149, ttft_ms_p50: 76.08500007 }))).toBe(false);
});

test.each(Object.keys(console))('detects another run by another %s', (name) => {
  expect(isSameRun(rowOf({ ...console, [name]: 99.99 }), rowOf(json))).toBe(false);
});

test('ignores percentiles if they were recomputed', () => {
  const recomputed = { ...json, ttft_ms_p99: 801.2 };
  expect(isSameRun(rowOf(console), rowOf(recomputed))).toBe(false);
  expect(isSameRun(rowOf(console), rowOf(recomputed, {}, { isRecomputed: true }))).toBe(true);
  expect(isSameRun(rowOf(console), rowOf({ ...recomputed, tpot_ms_mean: 20.4 }, {}, { isRecomputed: true }))).toBe(
    false,
  );
});

test('needs an equal deviation if only one figure is common', () => {
  expect(isSameRun(rowOf({ decode_tok_s: 278.95 }), rowOf({ decode_tok_s: 278.95 }))).toBe(false);
  const text = rowOf({ decode_tok_s: 278.95 }, { decode_tok_s: 0.23 });
  expect(isSameRun(text, rowOf({ decode_tok_s: 278.951234 }, { decode_tok_s: 0.2312 }))).toBe(true);
  expect(isSameRun(text, rowOf({ decode_tok_s: 278.951234 }, { decode_tok_s: 0.3312 }))).toBe(false);
});

test('detects two runs if rows have no common figure', () => {
  expect(isSameRun(rowOf({}), rowOf({}))).toBe(false);
  expect(isSameRun(rowOf({ ttft_ms_mean: 117.46 }), rowOf({ tpot_ms_mean: 20.33 }))).toBe(false);
});

test.each([2, 3, 4, 6])('does not match two honest repetitions of %d figures with four digits', (count) => {
  const random = createRandom(count);
  const normal = () => Math.sqrt(2 * random.exponential()) * Math.cos(2 * Math.PI * random.next());
  const names = ['output_tok_s', 'ttft_ms_mean', 'tpot_ms_mean', 'ttft_ms_p99', 'itl_ms_p99', 'e2e_ms_p99'];
  let same = 0;
  for (let i = 0; i < 5000; i++) {
    const truth = names.slice(0, count).map((name, place) => [name, 10 ** random.between(1, 2) * 4 ** place] as const);
    const measured = () =>
      rowOf(
        Object.fromEntries(truth.map(([name, ms]) => [name, Number((ms * (1 + 0.005 * normal())).toPrecision(4))])),
      );
    if (isSameRun(measured(), measured())) same++;
  }
  expect(same).toBeLessThan(5);
});
