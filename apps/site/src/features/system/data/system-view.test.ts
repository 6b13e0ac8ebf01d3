import { expect, test } from 'vitest';
import type { Point, SystemDetail } from '../../../lib/api.ts';
import { toSections } from './system-view.ts';

const statistics = (mean: number) => ({
  ...{ n: 1, mean, median: mean, min: mean, max: mean, sd: null, ci95: null, cv: null },
  ...{ stability: null, basis: 'runs', outliers: [] },
});

/** A point whose ITL is between chunks of `tokens` tokens. */
const pointOf = (level: number, tokens: number) => ({
  scenario: { id: '1k-1k', input_tokens: 1024, output_tokens: 1024, kernel: null },
  load: { mode: 'concurrency', level, burstiness: null, max_concurrency: null },
  ...{ status: 'accepted', result_count: 1, trust: 'imported', findings: 0, replication: null },
  links: { results: '/v1/results' },
  definitions: { itl_ms: 'per_chunk', tpot_ms: 'without_first_token' },
  statistics: { itl_ms_mean: statistics(20 * tokens), tpot_ms_mean: statistics(20) },
});

function itlRowOf(points: readonly object[]) {
  const [section] = toSections({ points: points as Point[] } as SystemDetail, []);
  const row = section?.rows.find(({ metric }) => metric.name === 'itl_ms_mean');
  return { chunkSize: row?.chunkSize, cells: row?.cells.map((cell) => cell?.chunkSize) };
}

test('states the size of chunks once if all loads share it', () => {
  expect(itlRowOf([pointOf(1, 20), pointOf(8, 20)])).toEqual({
    chunkSize: '≈ 20 tokens per chunk',
    cells: [null, null],
  });
});

test('states the size of chunks at each load if it differs', () => {
  expect(itlRowOf([pointOf(1, 1), pointOf(8, 20), pointOf(64, 40)])).toEqual({
    chunkSize: null,
    cells: [null, '≈ 20 tokens per chunk', '≈ 40 tokens per chunk'],
  });
});
