import { expect, test } from 'vitest';
import { findModel } from './models.ts';
import { findQuantization, isUnquantized, resolveQuantization } from './quantizations.ts';
import { models } from './records.ts';

test.each([
  ['Q8_0', 'gguf-q8_0'],
  ['F16', 'fp16'],
  ['all F32', 'fp32'],
  ['mostly Q4_0', 'gguf-q4_0'],
  ['IQ4_XS - 4.25 bpw', 'gguf-iq4_xs'],
  ['IQ2_XXS - 2.06 bpw', 'gguf-iq2_xxs'],
  ['Q4_K_M (imatrix)', 'gguf-q4_k_m'],
  ['i1-Q4_K_M', 'gguf-q4_k_m'],
  ['UD-Q8_K_XL', 'gguf-ud'],
  ['4.65bpw exl2', 'exl2'],
  ['torch.float16', 'fp16'],
  ['FP8-dynamic', 'fp8'],
  ['Int4', 'w4a16'],
  ['4bit', 'w4a16'],
  ['sym_int4', 'w4a16'],
  ['fp4', 'nvfp4'],
  ['AWQ', 'awq-int4'],
  ['GPTQ-Int4', 'gptq-int4'],
  ['bnb-4bit', 'bnb-nf4'],
  // ik_llama.cpp's types. The suffix _R4 or _R8 states the order of the rows; the bits are those of the type before it.
  ['IQ4_KS - 4.25 bpw', 'gguf-iq4_ks'],
  ['IQ4_KSS - 4.0 bpw', 'gguf-iq4_kss'],
  ['IQ2_KT - 2.125 bpw', 'gguf-iq2_kt'],
  ['IQ4_K_R4 - 4.5 bpw', 'gguf-iq4_k'],
  ['IQ4_XS_R8 - 4.25 bpw', 'gguf-iq4_xs'],
  ['Q4_K_R4', 'gguf-q4_k_s'],
])('resolves %s to %s', (text, id) => {
  expect(resolveQuantization(text)).toEqual({ id, name: text, recipe: [], suggestions: [] });
});

test.each([
  ['w8a8_smooth_gptq', 'w8a8-int8', ['smooth', 'gptq']],
  ['w8a8_smooth_ptq', 'w8a8-int8', ['smooth', 'ptq']],
  ['w8a16_sparse_awq', 'w8a16', ['sparse', 'awq']],
  ['w8a16_awq', 'w8a16', ['awq']],
  ['w8a8-fp8-smooth', 'fp8', ['smooth']],
])('resolves %s to %s with the recipe %j', (text, id, recipe) => {
  expect(resolveQuantization(text)).toMatchObject({ id, recipe });
});

// "original" has no meaning without the original precision.
test('resolves original weights to the precision of the model, if known', () => {
  expect(resolveQuantization('original')).toEqual({ id: null, name: 'original', recipe: [], suggestions: [] });
  expect(resolveQuantization('Original', findModel('llama-3.1-8b')).id).toBe('bf16');
  expect(resolveQuantization('native', findModel('gpt-oss-120b')).id).toBe('mxfp4');
});

// Four-bit floats have two formats. Each vendor's cards support one.
test.each([
  ['fp4', 'amd', 'mxfp4'],
  ['FP4', 'amd', 'mxfp4'],
  ['fp4', 'nvidia', 'nvfp4'],
  ['fp4', null, 'nvfp4'],
  ['nvfp4', 'amd', 'nvfp4'],
  ['fp8', 'amd', 'fp8'],
] as const)('resolves %s on a GPU of %s to %s', (text, vendor, id) => {
  expect(resolveQuantization(text, null, vendor)).toEqual({ id, name: text, recipe: [], suggestions: [] });
});

// gpt-oss is published in MXFP4, and an H100 has no FP4 arithmetic.
test.each([
  ['gpt-oss-120b', 'nvidia', 'mxfp4'],
  ['gpt-oss-120b', 'amd', 'mxfp4'],
  ['gpt-oss-120b', null, 'mxfp4'],
  ['deepseek-r1', 'nvidia', 'nvfp4'],
  ['deepseek-r1', 'amd', 'mxfp4'],
] as const)('resolves fp4 of %s on a GPU of %s to %s', (id, vendor, quantization) => {
  expect(resolveQuantization('fp4', findModel(id), vendor).id).toBe(quantization);
  expect(resolveQuantization('nvfp4', findModel(id), vendor).id).toBe('nvfp4');
});

test('resolves the published precision of every model', () => {
  for (const model of models) expect(resolveQuantization('native', model).id, model.id).not.toBeNull();
});

// IQ1_S_R4 has fewer bits than IQ1_S.
test.each(['w9a9_gptq', 'unspecified', 'frobnicated', 'gptq_smooth', 'IQ1_S_R4'])(
  'does not resolve %s, and reads no recipe',
  (text) => {
    expect(resolveQuantization(text)).toMatchObject({ id: null, name: text, recipe: [] });
  },
);

test('has bits per weight', () => {
  expect(findQuantization('gguf-q4_k_m')).toMatchObject({ bitsPerWeight: 4.8944, bitsPerWeightMin: 4.5 });
  expect(findQuantization('nothing')).toBeNull();
});

// The baseline of a speed-up: 16 bits or the published precision.
test.each([
  [{ id: null, name: 'original' }, null, true],
  [{ id: 'bf16', name: 'bf16' }, null, true],
  [{ id: 'fp32', name: 'F32' }, null, true],
  [{ id: 'fp8', name: 'fp8' }, null, false],
  [{ id: 'w8a8-int8', name: 'w8a8_smooth_gptq' }, null, false],
  [{ id: null, name: 'unspecified' }, null, false],
  [{ id: 'mxfp4', name: 'MXFP4' }, 'gpt-oss-120b', true],
  [{ id: 'mxfp4', name: 'MXFP4' }, 'llama-3.1-8b', false],
] as const)('isUnquantized for %j of %s: %s', (quantization, model, expected) => {
  expect(isUnquantized(quantization, model === null ? null : findModel(model))).toBe(expected);
});
