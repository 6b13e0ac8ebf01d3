import { expect, test } from 'vitest';
import { quantizationHint } from './quantization-hint.ts';

// Batch benchmarks often state the quantization only in the run name.
test.each([
  ['w8a8_sparse_smooth_gptq_decode_bound_run1', 'w8a8_sparse_smooth_gptq'],
  ['w8a8_smooth_ptq_high_concurrency_run3', 'w8a8_smooth_ptq'],
  ['w8a16_awq_interactive_run2', 'w8a16_awq'],
  ['w8a16_sparse_awq_base_run1', 'w8a16_sparse_awq'],
  ['original_base_run1', 'original'],
  ['Llama-3.1-8B-FP8', 'FP8'],
  ['Qwen/Qwen3.5-35B-A3B-FP8', 'FP8'],
  ['RedHatAI/Llama-3.1-8B-Instruct-FP8-dynamic', 'FP8-dynamic'],
  ['Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf', 'Q4_K_M'],
  ['shisa-v2-llama3.3-70b.i1-Q4_K_M.gguf', 'Q4_K_M'],
  ['shisa-v2-llama3.1-405b-IQ2_XXS-00001-of-00003.gguf', 'IQ2_XXS'],
  ['gpt-oss-120b-UD-Q8_K_XL-00001-of-00002.gguf', 'UD-Q8_K_XL'],
  ['UD-Q4_K_XL', 'UD-Q4_K_XL'],
  ['IQ3_XXS', 'IQ3_XXS'],
  ['llama-2-7b.Q4_0.gguf', 'Q4_0'],
  ['DeepSeek-V3-0324-IQ4_K_R4-00001-of-00010.gguf', 'IQ4_K_R4'],
  ['DeepSeek-R1-Bf16-256x21B-IQ4_K_R4.gguf', 'IQ4_K_R4'],
  ['DeepSeek-R1-256x21B-BF16-00001-of-00030.gguf', 'BF16'],
  ['Qwen3-30B-A3B-IQ4_XS_R8.gguf', 'IQ4_XS_R8'],
  ['Qwen3-30B-A3B-IQ4_KSS.gguf', 'IQ4_KSS'],
  ['Qwen3-30B-A3B-IQ5_KS_R4.gguf', 'IQ5_KS_R4'],
  ['Qwen3-30B-A3B-IQ2_KT.gguf', 'IQ2_KT'],
  ['Llama-3.1-8B-Q8_K_R8.gguf', 'Q8_K_R8'],
  ['llama 70B Q4_K - Medium', 'Q4_K - Medium'],
  ['llama ?B IQ2_XXS - 2.0625 bpw', 'IQ2_XXS'],
  ['Qwen2.5-7B-Instruct-AWQ', 'AWQ'],
  ['Qwen2.5-7B-Instruct-GPTQ-Int4', 'GPTQ-Int4'],
  ['TheBloke/Llama-2-7B-GPTQ', 'GPTQ'],
  ['nvidia/DeepSeek-V3.2-NVFP4', 'NVFP4'],
  ['gpt-oss-20b-MXFP4', 'MXFP4'],
  ['ISTA-DASLab/Meta-Llama-3.1-8B-Instruct-AQLM-PV-2Bit-1x16-hf', 'AQLM'],
  ['Llama-3.1-8B-Instruct_4bitgs64_hqq_hf', 'hqq'],
  ['Meta-Llama-3.1-8B-Instruct-quantized.w4a16', 'w4a16'],
  ['LLama 3.3 70B Int4', 'Int4'],
  ['model-INT8', 'INT8'],
  ['unsloth/llama-3-8b-bnb-4bit', 'bnb-4bit'],
  ['model.BF16.gguf', 'BF16'],
  ['model-fp16', 'fp16'],
  ['fp8_w8a8', 'fp8_w8a8'],
  ['amd/Llama-3.1-8B-Instruct-FP8-KV', 'FP8'],
])('reads from %s the quantization %s', (text, expected) => {
  expect(quantizationHint(text)).toBe(expected);
});

test.each([
  'default',
  '',
  'the_original_base',
  'originals_run',
  'Llama-3.1-8B',
  'Qwen3-30B-A3B',
  'run1',
  'kv-cache-fp8',
  'fp8_kv_cache',
])('reads no quantization from %s', (text) => {
  expect(quantizationHint(text)).toBeNull();
});
