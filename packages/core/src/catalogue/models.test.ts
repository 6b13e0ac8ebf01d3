import { expect, test } from 'vitest';
import { findModel, findModelFamily, llamaBenchCandidates, resolveModel } from './models.ts';
import { llamaBenchTypes } from './records.ts';

test.each([
  ['Qwen/Qwen3.5-35B-A3B-FP8', 'qwen3.5-35b-a3b', 'FP8'],
  ['/models/llm/gguf/llama-2-7b.Q4_0.gguf', 'llama-2-7b', 'Q4_0'],
  ['/models/llm/gguf/shisa-v2-llama3.1-405b-IQ2_XXS-00001-of-00003.gguf', 'shisa-v2-llama-3.1-405b', 'IQ2_XXS'],
  ['/models/llm/gguf/shisa-v2-llama3.3-70b.i1-Q4_K_M.gguf', 'shisa-v2-llama-3.3-70b', 'Q4_K_M'],
  ['/models/llm/gguf/shisa-v2-mistral-nemo-12b.i1-Q4_K_M.gguf', 'shisa-v2-mistral-nemo-12b', 'Q4_K_M'],
  ['/models/llm/gguf/gpt-oss-120b-UD-Q8_K_XL-00001-of-00002.gguf', 'gpt-oss-120b', 'UD-Q8_K_XL'],
  ['/models/llm/gguf/Qwen3-30B-A3B-Q4_K_M.gguf', 'qwen3-30b-a3b', 'Q4_K_M'],
  ['shisa-ai/shisa-v2-unphi4-14b', 'shisa-v2-unphi4-14b', null],
  ['Shisa V2 UnPhi 14B', 'shisa-v2-unphi4-14b', null],
  ['LLama 3.1 8B', 'llama-3.1-8b', null],
  ['Mistral 3.1 24B', 'mistral-small-3.1-24b', null],
  ['GPT OSS 120B', 'gpt-oss-120b', null],
  ['LLama 3.3 70B Int4', 'llama-3.3-70b', 'Int4'],
  ['llama2-7b', 'llama-2-7b', null],
  ['Mistral Nemo 12B', 'mistral-nemo-12b', null],
  ['Qwen3 30B-A3B', 'qwen3-30b-a3b', null],
  ['/home/models/openai--gpt-oss-120b', 'gpt-oss-120b', null],
  ['/scratch/Llama-3.3-70B-Instruct/', 'llama-3.3-70b', null],
  ['models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f249a16976918f6564b8830bc894c89659', 'llama-3.1-8b', null],
  ['C:\\models\\Qwen3-8B-Q8_0.gguf', 'qwen3-8b', 'Q8_0'],
  ['llama3.1:8b-instruct-q4_K_M', 'llama-3.1-8b', 'q4_K_M'],
  ['gemma3:27b-it-qat', 'gemma-3-27b', null],
  ['RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16', 'llama-3.1-8b', 'w4a16'],
  ['Llama-3.1-8B-Instruct-AWQ-INT4', 'llama-3.1-8b', 'AWQ'],
  ['amd/Llama-3.1-8B-Instruct-FP8-KV', 'llama-3.1-8b', 'FP8'],
  ['unsloth/Llama-3.2-3B-Instruct-bnb-4bit', 'llama-3.2-3b', 'bnb-4bit'],
  ['TheBloke/Mixtral-8x7B-Instruct-v0.1-AWQ', 'mixtral-8x7b', 'AWQ'],
  ['DeepSeek-V3-0324-IQ4_K_R4-00001-of-00010.gguf', 'deepseek-v3', 'IQ4_K_R4'],
  ['Qwen3-30B-A3B-IQ4_KS.gguf', 'qwen3-30b-a3b', 'IQ4_KS'],
  ['nvidia/DeepSeek-R1-0528-FP4', 'deepseek-r1', 'FP4'],
  ['moonshotai/Kimi-K2-Thinking', 'kimi-k2-thinking', null],
  // Other weights of the same architecture are another model.
  ['Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8', 'qwen3-coder-30b-a3b', 'FP8'],
  ['unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF', 'qwen3-coder-30b-a3b', null],
  ['Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf', 'qwen3-coder-30b-a3b', 'Q4_K_M'],
  ['qwen3-coder:30b', 'qwen3-coder-30b-a3b', null],
  ['Qwen2.5-Coder-7B-Instruct', 'qwen2.5-coder-7b', null],
  ['microsoft/Phi-4-reasoning', 'phi-4-reasoning', null],
  ['microsoft/Phi-4-reasoning-plus', 'phi-4-reasoning-plus', null],
  ['microsoft/Phi-4-mini-reasoning', 'phi-4-mini-reasoning', null],
  // Dated releases and tunings of one name are one model.
  ['Qwen/Qwen3-30B-A3B-Thinking-2507', 'qwen3-30b-a3b', null],
  ['Google Gemma 3 27B', 'gemma-3-27b', null],
  ['nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-Base-BF16', 'nemotron-3-super-120b-a12b', 'BF16'],
  ['nvidia/NVIDIA-Nemotron-3-Super-120B-NVFP4-FP8KV', 'nemotron-3-super-120b-a12b', 'NVFP4'],
  ['nvidia/nemotron-3-super', 'nemotron-3-super-120b-a12b', null],
  ['nemotron-3-super:120b', 'nemotron-3-super-120b-a12b', null],
  ['NVIDIA Nemotron 3 Super', 'nemotron-3-super-120b-a12b', null],
  // The owner of a repository, an underscore, and the model.
  ['Qwen_Qwen3-30B-A3B-Q4_K_M.gguf', 'qwen3-30b-a3b', 'Q4_K_M'],
  ['zai-org_GLM-4.5-Air-Q4_K_M.gguf', 'glm-4.5-air', 'Q4_K_M'],
  ['moonshotai_Kimi-K2-Instruct-0905-Q4_K_M.gguf', 'kimi-k2', 'Q4_K_M'],
  ['MiniMaxAI_MiniMax-M2-Q4_K_M.gguf', 'minimax-m2', 'Q4_K_M'],
  // Names of hosts and services contain no dots.
  ['meta-llama-llama-3-1-8b-instruct', 'llama-3.1-8b', null],
  ['qwen3-0-6b', 'qwen3-0.6b', null],
  ['qwen3-5-35b-a3b-fp8', 'qwen3.5-35b-a3b', 'fp8'],
  ['kimi-k2-5', 'kimi-k2.5', null],
  ['deepseek-ai-deepseek-v3-2', 'deepseek-v3.2', null],
  ['llama-3-8b', 'llama-3-8b', null],
])('resolves %s to %s in %s', (text, id, quantization) => {
  expect(resolveModel(text)).toEqual({ id, family: findModel(id)?.family, name: text, quantization, suggestions: [] });
});

test.each([
  ['llama3.1', 'llama-3.1'],
  ['qwen3:latest', 'qwen3'],
  ['gpt-oss', 'gpt-oss'],
  ['gptoss', 'gpt-oss'],
])('resolves %s to the family %s without a size', (text, family) => {
  expect(resolveModel(text)).toMatchObject({ id: null, family, suggestions: [] });
});

// Fine-tunes and distillations have other weights. Only the catalogue may declare that one behaves like its base.
test.each([
  'Hermes-3-Llama-3.1-70B',
  'Llama-3.1-8B-Instruct-FP8-mytune',
  'facebook/opt-66b',
  'nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-FP8',
  'nvidia/Llama-3_1-Nemotron-Ultra-253B-v1',
  'finetuned_Qwen3-8B-Q8_0.gguf',
  'qwen-llama-3.1-8b',
  'default',
  'llama 7B Q4_0',
  // A dot is restored only between two single digits, and only if the result is not another model's name.
  'llama-3-12-8b',
  'qwen2-5-35b-a3b',
  'meta-llama',
  'unspecified',
  '/',
])('does not resolve %s', (text) => {
  expect(resolveModel(text)).toMatchObject({ id: null, family: null, name: text });
});

test('suggests the nearest models', () => {
  expect(resolveModel('Llama-3.1-9B').suggestions[0]).toBe('llama-3.1-8b');
  expect(resolveModel('unspecified').suggestions).toEqual([]);
});

test('gives a derivative the shape and the family of its base', () => {
  const base = findModel('phi-4');
  const derivative = findModel('shisa-v2-unphi4-14b');
  expect(derivative).toMatchObject({ base: 'phi-4', layers: base?.layers, family: base?.family });
  expect(derivative?.matmulParamsPerTokenB).toBe(base?.matmulParamsPerTokenB);
  expect(base?.base).toBeNull();
  expect(findModelFamily('phi-4')?.members).toContain('shisa-v2-unphi4-14b');
  const coder = findModel('qwen3-coder-30b-a3b');
  expect(coder).toMatchObject({ base: 'qwen3-30b-a3b', layers: 48, family: 'qwen3-coder', contextLength: 262144 });
});

test('selects candidates of llama-bench types by parameter count', () => {
  expect(llamaBenchCandidates('llama ?B IQ2_XXS - 2.0625 bpw', 405.85e9)).toEqual(['llama-3.1-405b']);
  expect(llamaBenchCandidates('qwen3moe 30B.A3B Q4_K - Medium', 30.53e9)).toEqual(['qwen3-30b-a3b']);
  expect(llamaBenchCandidates('nemotron_h_moe 120B.A12B Q5_K - Medium', 120.67e9)).toEqual([
    'nemotron-3-super-120b-a12b',
  ]);
  expect(llamaBenchCandidates('llama 13B', 13.02e9)).toEqual(['llama-2-13b']);
  expect(llamaBenchCandidates('llama 13B', 12.6e9)).toEqual([]);
  expect(llamaBenchCandidates('llama 13Bx', 12.25e9)).toEqual([]);
});

test('lists only existing models as llama-bench candidates', () => {
  for (const id of llamaBenchTypes.flatMap((row) => row.candidates)) expect(findModel(id)).not.toBeNull();
});

test.each([
  ['Qwen3.8', null, 'qwen3.8'],
  ['Qwen/Qwen3.8-27B-FP8', 'qwen3.8-27b', 'qwen3.8'],
  ['DeepSeek V4 Flash', 'deepseek-v4-flash', 'deepseek-v4'],
  ['GLM-4.6V', 'glm-4.6v', 'glm'],
  ['GLM-4.6', 'glm-4.6', 'glm'],
  ['facebook/opt-125m', 'opt-125m', 'opt'],
  ['gpt2', 'gpt2', 'gpt2'],
  ['TinyLlama', null, 'tinyllama'],
  ['TinyLlama/TinyLlama-1.1B-Chat-v1.0', 'tinyllama-1.1b', 'tinyllama'],
  ['SmolLM2', null, 'smollm2'],
  ['HuggingFaceTB/SmolLM2-1.7B-Instruct', 'smollm2-1.7b', 'smollm2'],
  ['mistralai/Mistral-7B-v0.1', 'mistral-7b-v0.1', 'mistral'],
  ['llama2-70b-99', 'llama-2-70b', 'llama-2'],
  ['llama2-70b-99.9', 'llama-2-70b', 'llama-2'],
])('resolves %s to %s of the family %s', (text, id, family) => {
  expect(resolveModel(text)).toMatchObject({ id, family });
});
