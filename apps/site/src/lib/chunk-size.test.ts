import { findMetric } from '@inferboard/core/metrics/index';
import { expect, test } from 'vitest';
import { chunkSizeText } from './chunk-size.ts';

const metricOf = (name: string) => {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
};
const textOf = (itl: number | null, tpot: number | null, definition = 'per_chunk', name = 'itl_ms_mean') =>
  chunkSizeText(metricOf(name), { itl_ms_mean: itl, itl_ms_p99: 900, tpot_ms_mean: tpot }, { itl_ms: definition });

test.each([
  [430.84, 21.754, '≈ 20 tokens per chunk'],
  [46.2, 21.754, '≈ 2.1 tokens per chunk'],
  [217.9, 21.8, '≈ 10 tokens per chunk'],
])('states the size of chunks at an ITL of %d ms and a TPOT of %d ms', (itl, tpot, text) => {
  expect(textOf(itl, tpot)).toBe(text);
});

test.each([
  ['a token per chunk', textOf(21.91, 21.87)],
  ['a stalled stream', textOf(98.99, 305.36)],
  ['no TPOT', textOf(430.84, null)],
  ['no ITL', textOf(null, 21.754)],
  ['gaps between tokens', textOf(430.84, 21.754, 'per_token')],
  ['a percentile', textOf(430.84, 21.754, 'per_chunk', 'itl_ms_p99')],
])('states nothing for %s', (_, text) => {
  expect(text).toBeNull();
});
