import { expect, test } from 'vitest';
import { gapsBetween } from './findings-common.ts';
import type { ReportPoint, ReportStatistic } from './types.ts';

const statistic = (mean: number, definition: string | null = null): ReportStatistic => ({
  ...{ n: 1, mean, ci95: null, definition, derived: false },
});

const point = (itl: ReportStatistic, tpot?: number): ReportPoint => ({
  scenario: { id: 'chatbot', title: 'Chatbot', inputTokens: 512, outputTokens: 512, dataset: null, depth: null },
  load: { mode: 'concurrency', level: 1 },
  statistics: { itl_ms_mean: itl, ...(tpot !== undefined && { tpot_ms_mean: statistic(tpot) }) },
  source: 'one',
});

test.each([
  ['chunks of about a token', [point(statistic(8.7, 'per_chunk'), 8.5)], 'tokens'],
  ['chunks without a TPOT', [point(statistic(8.7, 'per_chunk'))], 'tokens'],
  ['gaps of tokens', [point(statistic(8.7, 'per_token'), 2.7)], 'tokens'],
  [
    'larger chunks',
    [point(statistic(8.7, 'per_chunk'), 8.5), point(statistic(8.74, 'per_chunk'), 2.67)],
    'chunks (of up to 3.3 tokens)',
  ],
])('states what the gaps are between: %s', (_, points, expected) => {
  expect(gapsBetween(points)).toBe(expected);
});
