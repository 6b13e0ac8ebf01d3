import { expect, test } from 'vitest';
import { editDistance, nearest, nearestOrLonger } from './nearest.ts';

const candidates = ['gpu_count', 'quantization', 'model', 'scenario', 'trust'];

test.each([
  ['gpu_cuont', 'gpu_count'],
  ['GPU_COUNT', 'gpu_count'],
  ['quantisation', 'quantization'],
  ['modle', 'model'],
  ['trus', 'trust'],
])('suggests for %s the word %s', (word, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test.each(['frobnicate', 'x', ''])('suggests nothing for "%s"', (word) => {
  expect(nearest(word, ['quantization', 'scenario'])).toBeNull();
});

test.each(['x', ''])('suggests no short word without a common letter for "%s"', (word) => {
  expect(nearest(word, ['id', 'tp'])).toBeNull();
});

test('suggests a longer word that begins with the word', () => {
  expect(nearestOrLonger('ttft', ['itl_ms', 'ttft_ms'])).toBe('ttft_ms');
  expect(nearestOrLonger('modle', candidates)).toBe('model');
  expect(nearestOrLonger('tr', ['transport'])).toBeNull();
});

test('suggests nothing without candidates', () => {
  expect(nearest('model', [])).toBeNull();
});

test('suggests the first of two equally near words', () => {
  expect(nearest('gpux', ['gpu1', 'gpu2'])).toBe('gpu1');
});

test('returns null for a very long word', () => {
  expect(nearest('x'.repeat(1_000_000), candidates)).toBeNull();
});

test('edit distance counts inserted, deleted and replaced letters', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('', 'abc')).toBe(3);
});
