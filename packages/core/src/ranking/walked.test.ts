import { expect, test } from 'vitest';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { preferredRanks, rankableMetrics } from './default-rank.ts';
import { isWalked, signOf, walkedMetrics } from './walked.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

test.each<[MetricName, boolean]>([
  ['output_tok_s', true],
  ['ttft_ms_mean', true],
  ['itl_ms_p50', true],
  ['e2e_ms_p99', true],
  ['ttft_ms_min', false],
  ['ttft_ms_max', false],
  ['ttft_ms_sd', false],
  ['duration_s', false],
  ['requests_ok', false],
])('stores the board of %s in rank order: %s', (name, isKept) => {
  expect(isWalked(metricOf(name))).toBe(isKept);
  expect(walkedMetrics.some((metric) => metric.name === name)).toBe(isKept);
});

test('stores boards of the default metrics in rank order', () => {
  expect(preferredRanks.map((name) => isWalked(metricOf(name)))).not.toContain(false);
  expect(rankableMetrics).toEqual(expect.arrayContaining([...walkedMetrics]));
});

test('gives better values larger keys', () => {
  for (const metric of walkedMetrics) {
    const [less, more] = [2, 3].map((value) => signOf(metric) * value);
    expect((more ?? 0) > (less ?? 0)).toBe(metric.family.direction === 'higher');
  }
  expect([signOf(metricOf('output_tok_s')), signOf(metricOf('ttft_ms_mean'))]).toEqual([1, -1]);
});
