import { describe, expect, test } from 'vitest';
import { matchEngine, matchGpu, matchModel, matchQuantization, noFilters } from './filters.ts';

describe('a GPU', () => {
  test.each([
    ['h100', { by: 'family', family: 'h100' }],
    ['H100', { by: 'family', family: 'h100' }],
    ['rtx pro 6000', { by: 'family', family: 'rtx-pro-6000' }],
    ['h100-sxm', { by: 'id', id: 'h100-sxm' }],
    ['NVIDIA H100 80GB HBM3', { by: 'id', id: 'h100-sxm' }],
    ['rtx-4090', { by: 'id', id: 'rtx-4090' }],
    ['  Frobnicator   9000 ', { by: 'name', key: 'frobnicator 9000' }],
    ['unspecified', { by: 'name', key: 'unspecified' }],
  ])('%s', (text, match) => {
    expect(matchGpu(text)).toEqual(match);
  });
});

describe('a model', () => {
  test.each([
    ['meta-llama/Llama-3.1-8B-Instruct', { by: 'id', id: 'llama-3.1-8b' }],
    ['llama-3.1-8b', { by: 'id', id: 'llama-3.1-8b' }],
    ['llama3.1', { by: 'family', family: 'llama-3.1' }],
    ['Our Model 9T', { by: 'name', key: 'our model 9t' }],
    ['unspecified', { by: 'name', key: 'unspecified' }],
  ])('%s', (text, match) => {
    expect(matchModel(text)).toEqual(match);
  });
});

describe('a quantization', () => {
  test.each([
    ['FP8', { by: 'id', id: 'fp8' }],
    ['Q4_K - Medium', { by: 'id', id: 'gguf-q4_k_m' }],
    // All recipes of the width, or the named one.
    ['w8a8', { by: 'id', id: 'w8a8-int8' }],
    ['w8a8_smooth_gptq', { by: 'id', id: 'w8a8-int8', recipe: ['smooth', 'gptq'] }],
    ['q77_frob', { by: 'name', key: 'q77_frob' }],
    // The model is not stated.
    ['original', { by: 'name', key: 'original' }],
  ])('%s', (text, match) => {
    expect(matchQuantization(text)).toEqual(match);
  });
});

describe('an engine', () => {
  test.each([
    ['vLLM', { by: 'id', id: 'vllm' }],
    ['llama-server', { by: 'id', id: 'llama.cpp' }],
    ['Our  Server', { by: 'name', key: 'our server' }],
  ])('%s', (text, match) => {
    expect(matchEngine(text)).toEqual(match);
  });
});

test('noFilters has no restrictions', () => {
  expect(noFilters).toEqual({ include: [], bounds: [] });
});
