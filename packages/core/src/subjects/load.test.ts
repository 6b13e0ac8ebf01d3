import { expect, test } from 'vitest';
import { formatLoad, type LoadMode, unspecifiedLoad } from './load.ts';

test.each<[LoadMode, number, string]>([
  ['concurrency', 1, 'single request'],
  ['concurrency', 8, '8 concurrent'],
  ['burst', 1, 'burst of 1'],
  ['burst', 256, 'burst of 256'],
  ['rate', 0.5, '0.5 req/s'],
  ['rate', 50, '50 req/s'],
  ['batch', 1, 'batch 1'],
  ['batch', 32, 'batch 32'],
])('formats %s %d as "%s"', (mode, level, text) => {
  expect(formatLoad({ mode, level })).toBe(text);
});

test('an unspecified load is labeled as unspecified', () => {
  expect(formatLoad(unspecifiedLoad)).toBe('load not stated');
});
