import { describe, expect, test } from 'vitest';
import { makeResult, type ResultWords, type SystemWords } from '../testing/result.ts';
import { measuredBits, weightFigures } from './weights.ts';

const figures = (system: SystemWords, extra: ResultWords['extra'] = {}) =>
  weightFigures(makeResult({ system: { model: 'llama-3.1-8b', quantization: 'bf16', ...system }, extra }));

describe('weights', () => {
  test('have figures for a dense model in 16 bits', () => {
    expect(figures({})).toEqual({
      name: 'Llama 3.1 8B',
      params: 8.03 * 1e9,
      decodeParams: 7.505 * 1e9,
      prefillParams: 6.979 * 1e9,
      bytesLeast: 2,
      bytesAverage: 2,
      kvBytesLeast: 131072,
      kvBytes: 131072,
      activationBits: 16,
      format: 'float',
      isSparse: false,
    });
  });

  // Q4_K_M: smallest blocks of 4.5 bits, 4.8944 bits on average.
  test('use the smallest blocks of a format for bounds, and the average for utilisation', () => {
    const q4 = figures({ quantization: 'Q4_K_M' });
    expect(q4?.bytesLeast).toBe(4.5 / 8);
    expect(q4?.bytesAverage).toBe(4.8944 / 8);
  });

  test('use the lower of published and computed parameters', () => {
    expect(figures({ model: 'qwen3.5-35b-a3b' })?.params).toBe(34.66e9);
  });

  test('count only half of sparse weights', () => {
    expect(figures({ features: { sparsity: '2:4' } })).toMatchObject({ isSparse: true, bytesLeast: 1 });
  });

  test('have the measured bits of a file with the name of another type', () => {
    // 4 bits in a file that claims 8.5. Neither the name nor the native bf16 fits, so the minimum is half of the average.
    const file = figures({ quantization: 'Q8_0' }, { file_bytes: 4e9, params: 8e9 });
    expect(file).toMatchObject({ bytesAverage: 0.5, bytesLeast: 0.25, activationBits: null, format: null });
    const named = figures({ quantization: 'Q8_0' }, { file_bytes: 8e9, params: 8e9 });
    expect(named).toMatchObject({ bytesAverage: 1, bytesLeast: 8.5 / 8, activationBits: 16, format: 'gguf' });
  });

  test('have no default for missing figures', () => {
    expect(figures({ model: 'x' })).toBeNull();
    expect(figures({ model: 'mistral-small-3.1-24b' })).toMatchObject({
      decodeParams: null,
      kvBytesLeast: 0,
      kvBytes: null,
    });
    expect(figures({ quantization: 'x' })).toMatchObject({
      bytesLeast: null,
      bytesAverage: null,
      activationBits: null,
    });
  });

  test('have no fixed compute format for MXFP4', () => {
    expect(figures({ quantization: 'mxfp4' })?.activationBits).toBeNull();
  });
});

test.each([
  [{ file_bytes: 4e9, params: 8e9 }, 4],
  [{ file_bytes: 4e9 }, null],
  [{ params: 8e9 }, null],
  [{ file_bytes: 4e9, params: 0 }, null],
  [{ file_bytes: '4e9', params: 8e9 }, null],
])('reads the bits of %j: %j', (extra, bits) => {
  expect(measuredBits(extra as Record<string, string | number>)).toBe(bits); // the rows omit different keys
});

describe('KV cache', () => {
  test.each<[Record<string, string>, number | null]>([
    [{}, 131072],
    [{ kv_cache_dtype: 'auto' }, 131072],
    [{ kv_cache_dtype: 'bf16' }, 131072],
    [{ kv_cache_dtype: 'bfloat16' }, 131072],
    [{ kv_cache_dtype: 'fp8' }, 65536],
    [{ kv_cache_dtype: 'fp8_e4m3' }, 65536],
    [{ kv_cache_dtype: 'fp8_e5m2' }, 65536],
    [{ kv_cache_dtype: 'e4m3' }, 65536],
    [{ kv_cache_dtype: 'int4' }, 32768],
    [{ type_k: 'q8_0', type_v: 'q8_0' }, 65536],
    // llama.cpp: the default of the other type is f16.
    [{ type_k: 'q8_0' }, 98304],
    [{ type_v: 'q4_0' }, 81920],
    [{ cache_type_k: 'q8_0', cache_type_v: 'q4_0' }, 49152],
    [{ kv_cache_dtype: 'k8v4' }, 32768],
    [{ kv_cache_dtype: 'turbo' }, null],
    [{ type_k: 'q8_0', type_v: 'turbo' }, null],
  ])('of %j takes %j bytes per token', (features, bytes) => {
    expect(figures({ features })).toMatchObject({ kvBytes: bytes, kvBytesLeast: bytes ?? 0 });
  });

  // Only growing layers: 18 of 36, 10 of 40 (its figure is already for those). Upper limits are ignored.
  test.each([
    ['gpt-oss-120b', 36864, 36864],
    ['qwen3.5-35b-a3b', 5120, 20480],
    ['gemma-2-9b', 0, null],
    ['gemma-3-27b', 0, null],
    ['llama-4-scout', 0, null],
    ['deepseek-v3.2', 0, null],
    ['deepseek-v3', 70272, 70272],
  ])('of %s reads at least %j bytes per token, about %j on average', (model, kvBytesLeast, kvBytes) => {
    expect(figures({ model })).toMatchObject({ kvBytesLeast, kvBytes });
  });
});
