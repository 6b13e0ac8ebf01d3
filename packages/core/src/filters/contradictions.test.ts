import { expect, test } from 'vitest';
import { metricNames } from '../metrics/index.ts';
import { contradictions } from './contradictions.ts';

const faults = (query: string) => {
  const search = new URLSearchParams(query);
  const given = Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]));
  return contradictions(given).map(({ parameter, message }) => `${parameter}: ${message}`);
};

test.each([
  ['min_itl_ms=20&max_itl_ms=10', 'max_itl_ms: No result can meet both min_itl_ms=20 and max_itl_ms=10.'],
  // A latency without a statistic is its mean.
  [
    'min_itl_ms=20&max_itl_ms_mean=1e1',
    'max_itl_ms_mean: No result can meet both min_itl_ms=20 and max_itl_ms_mean=1e1.',
  ],
  [
    'min_load_level=9&max_load_level=8',
    'max_load_level: No result can meet both min_load_level=9 and max_load_level=8.',
  ],
  ['load_level=8&min_load_level=9', 'min_load_level: No result can meet both load_level=8 and min_load_level=9.'],
  [
    'gpu_count=4&gpu_count=8&max_gpu_count=2',
    'max_gpu_count: No result can meet both gpu_count=4 or gpu_count=8 and max_gpu_count=2.',
  ],
  [
    'since=2026-02-01T00:00:00Z&until=2026-01-01T00:00:00Z',
    'until: No result can meet both since=2026-02-01T00:00:00Z and until=2026-01-01T00:00:00Z.',
  ],
  [
    'since=2026-02-01T00:00:00Z&until=2026-02-01T00:00:00Z',
    'until: No result can meet both since=2026-02-01T00:00:00Z and until=2026-02-01T00:00:00Z.',
  ],
])('"%s" contradicts itself', (query, expected) => {
  expect(faults(query)).toEqual([expected]);
});

test('finds every contradiction, and states how to fix each', () => {
  const given = { min_ttft_ms: ['9'], max_ttft_ms: ['8'], min_itl_ms: ['3'], max_itl_ms: ['2'] };
  const found = contradictions(given);
  expect(found.map(({ parameter }) => parameter)).toEqual(['max_ttft_ms', 'max_itl_ms']);
  for (const { hint } of found) expect(hint).toMatch(/\S/);
});

test('compares the bounds of every metric', () => {
  for (const name of metricNames) expect(faults(`min_${name}=2&max_${name}=1`), name).toHaveLength(1);
});

test.each([
  '',
  'min_itl_ms=20&max_itl_ms=20',
  'min_ttft_ms=20&max_itl_ms=10',
  'gpu_count=8&gpu_count=1&max_gpu_count=4',
  'since=2026-01-01T00:00:00.0001Z&until=2026-01-01T00:00:00.0002Z',
  // The schema rejects these.
  'max_itl_ms=&min_itl_ms=1',
  'max_itl_ms=fast&min_itl_ms=1',
  'gpu_count=eight&max_gpu_count=4',
])('"%s" does not contradict itself', (query) => {
  expect(faults(query)).toEqual([]);
});
