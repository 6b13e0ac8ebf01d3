import { expect, test } from 'vitest';
import { fileBits, llamaBenchCandidates, resolveGpu, resolveModel, resolveQuantization } from '../index.ts';

/** Spellings from real data, with the expected entry. The figures were calculated by hand. */

test.each([
  ['NVIDIA H100 80GB HBM3', 'h100-sxm'],
  ['NVIDIA_H100_80GB_HBM3', 'h100-sxm'],
  ['NVIDIA H100 PCIe', 'h100-pcie'],
  ['nvidia h100 nvl', 'h100-nvl'],
  ['NVIDIA A100-SXM4-80GB', 'a100-sxm4-80gb'],
  ['NVIDIA A100 80GB PCIe', 'a100-pcie-80gb'],
  ['NVIDIA GeForce RTX 4070 Ti SUPER', 'rtx-4070-ti-super'],
  ['RTX 4070 Ti', 'rtx-4070-ti'],
  ['NVIDIA GH200 480GB', 'gh200-96gb'],
  ['AMD Instinct MI300X', 'mi300x'],
  ['Apple M4 Max', 'apple-m4-max'],
  ['NVIDIA GB10', 'gb10'],
  ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 'rtx-pro-6000-blackwell-ws'],
])('resolves the GPU %s to %s', (text, id) => {
  expect(resolveGpu(text)).toMatchObject({ id, name: text, count: null });
});

test.each([
  ['8x NVIDIA H200', 'h200-sxm', 'h200', 8],
  ['8xH200', null, 'h200', 8],
  ['1xH100', null, 'h100', 1],
  ['rtx-pro-6000', null, 'rtx-pro-6000', null],
  ['Frobnicator 9000', null, null, null],
])('resolves the GPU %s to %s of family %s, count %s', (text, id, family, count) => {
  expect(resolveGpu(text)).toMatchObject({ id, family, count, name: text });
});

test.each([
  ['meta-llama/Llama-3.1-8B-Instruct', 'llama-3.1-8b', null],
  ['llama3.1:8b', 'llama-3.1-8b', null],
  ['bartowski/Meta-Llama-3.1-8B-Instruct-GGUF/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf', 'llama-3.1-8b', 'gguf-q4_k_m'],
  ['Qwen/Qwen3-30B-A3B-Instruct-2507', 'qwen3-30b-a3b', null],
  ['openai/gpt-oss-120b', 'gpt-oss-120b', null],
  ['Qwen/Qwen3.5-35B-A3B', 'qwen3.5-35b-a3b', null],
])('resolves the model %s to %s in %s', (text, id, quantization) => {
  const found = resolveModel(text);
  expect(found).toMatchObject({ id, name: text });
  expect(found.quantization && resolveQuantization(found.quantization).id).toBe(quantization);
});

test.each([
  ['Q4_K - Medium', 'gguf-q4_k_m', []],
  ['q4_k_m', 'gguf-q4_k_m', []],
  ['fp8_w8a8', 'fp8', []],
  ['w8a8', 'w8a8-int8', []],
  ['w8a8_sparse_smooth_gptq', 'w8a8-int8', ['sparse', 'smooth', 'gptq']],
  ['w8a16_smooth_awq', 'w8a16', ['smooth', 'awq']],
  ['bfloat16', 'bf16', []],
  ['MXFP4 MoE', 'mxfp4', []],
  ['IQ2_XXS - 2.0625 bpw', 'gguf-iq2_xxs', []],
])('resolves the quantization %s to %s with recipe %j', (text, id, recipe) => {
  expect(resolveQuantization(text)).toEqual({ id, name: text, recipe, suggestions: [] });
});

test.each([
  ['llama 13B', 12.25e9, ['mistral-nemo-12b']],
  ['llama 70B', 70.55e9, ['llama-3.3-70b', 'llama-3.1-70b']],
])('maps the llama-bench type %s with %d parameters to %j', (printed, params, candidates) => {
  expect(llamaBenchCandidates(printed, params)).toEqual(candidates);
});

test.each([
  [60.03, 116.83, 4.41],
  [3.56, 6.74, 4.54],
])('computes for %d GiB and %d billion parameters %d bits per weight', (gib, billions, bits) => {
  expect(fileBits(gib * 2 ** 30, billions * 1e9)).toBeCloseTo(bits, 2);
});
