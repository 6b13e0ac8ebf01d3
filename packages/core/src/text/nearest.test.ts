import { expect, test } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

const candidates = ['gpu_count', 'quantization', 'model', 'scenario', 'trust'];

test.each([
  ['gpu_cuont', 'gpu_count'],
  ['GPU_COUNT', 'gpu_count'],
  ['quantisation', 'quantization'],
  ['modle', 'model'],
  ['trus', 'trust'],
])('%s most likely means %s', (word, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test.each(['frobnicate', 'x', ''])('"%s" means none of them', (word) => {
  expect(nearest(word, ['quantization', 'scenario'])).toBeNull();
});

test('of no candidates none is near', () => {
  expect(nearest('model', [])).toBeNull();
});

test('of two that are equally near the first is named, so that answers do not change', () => {
  expect(nearest('gpux', ['gpu1', 'gpu2'])).toBe('gpu1');
});

test('a word of any length is looked at in no time', () => {
  expect(nearest('x'.repeat(1_000_000), candidates)).toBeNull();
});

test('distance counts letters inserted, deleted and replaced', () => {
  expect(editDistance('kitten', 'sitting')).toBe(3);
  expect(editDistance('', 'abc')).toBe(3);
});
