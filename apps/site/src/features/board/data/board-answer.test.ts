import { expect, test } from 'vitest';
import { toAnswer } from './board-answer.ts';
import type { BoardData, BoardView } from './board-view.ts';
import { rankedMetric } from './ranked-metric.ts';

interface Made {
  value: number;
  n?: number | null;
  ci95?: [number, number] | null;
  users?: number;
}

const entryOf = ({ value, n = 1, ci95 = null, users = 8 }: Made, at: number) => ({
  value,
  rank_spread: [at + 1, at + 1],
  statistics: { n, ci95, assumed: null },
  scenario: { input_tokens: 8192, output_tokens: 1024, kernel: null, dataset: null },
  load: { mode: 'concurrency', level: users },
});

/** The answer of a board with these values, the best first. */
function answerOf(name: string, values: readonly Made[], isComparison = false) {
  const metric = rankedMetric(name);
  const entries = values.map(entryOf);
  const rows = values.map(({ value, n = 1 }) => ({
    figure: { value: String(value), unit: metric?.family.unit, interval: null, assumed: null, n: String(n) },
    runs: [],
  }));
  const order = metric?.family.direction === 'lower' ? 'asc' : 'desc';
  const view = { metric, order, subject: null, workload: null, rows, entries } as unknown as BoardView;
  return toAnswer(view, { entries, order, isComparison } as unknown as BoardData, true);
}

const standingOf = (...values: Made[]) => answerOf('output_tok_s_per_gpu', values)?.standing;

test('a lead below a factor of two is a percentage, and may be due to chance without intervals', () => {
  expect(standingOf({ value: 108.5 }, { value: 100 })).toBe(
    '8.5 % ahead of the next; without an interval for both, the gap may be due to chance.',
  );
  expect(standingOf({ value: 150, ci95: [149, 151] }, { value: 100, ci95: [99, 101] })).toBe(
    '50 % ahead of the next, and their 95 % intervals do not overlap.',
  );
});

test('a lead from a factor of two on is a multiple, and is not attributed to chance', () => {
  expect(standingOf({ value: 362 }, { value: 100 })).toBe(
    '3.6 times the next; one run each, so the uncertainty is unknown.',
  );
  expect(standingOf({ value: 362, n: null }, { value: 100 })).toBe(
    '3.6 times the next; no interval for both, so the uncertainty is unknown.',
  );
  expect(answerOf('ttft_ms_mean', [{ value: 20 }, { value: 60 }])?.standing).toBe(
    'The next is 3 times as high; one run each, so the uncertainty is unknown.',
  );
});

test('the loads are named if they differ', () => {
  expect(standingOf({ value: 362 }, { value: 100, users: 4 })).toMatch(
    /unknown\. The loads differ: 8 users and 4 users\.$/,
  );
  expect(standingOf({ value: 101 }, { value: 100 })).not.toContain('loads');
});

test('the sentence of a comparison states the ratio, or why there is none', () => {
  const sides = [{ value: 362 }, { value: 100, users: 4 }];
  expect(answerOf('output_tok_s_per_gpu', sides, true)?.standing).toBe('');
});

test.each([
  ['output_tok_s_per_gpu', '1639 tok/s per GPU'],
  ['usd_per_mtok_output', '$1639 per million output tokens'],
  ['ttft_ms_mean', '1639 ms'],
])('the value of %s has its unit', (name, text) => {
  expect(answerOf(name, [{ value: 1639 }])?.value).toBe(text);
});
