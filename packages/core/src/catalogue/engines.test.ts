import { expect, test } from 'vitest';
import { findEngine, resolveEngine } from './engines.ts';

test.each<[string, string, string | null]>([
  ['vLLM', 'vllm', null],
  ['vllm 0.11.0', 'vllm', '0.11.0'],
  ['vLLM v0.11.0', 'vllm', '0.11.0'],
  ['vllm==0.11.0rc1+cu129', 'vllm', '0.11.0rc1+cu129'],
  ['vllm/0.6.3.post1', 'vllm', '0.6.3.post1'],
  ['SGLang', 'sglang', null],
  ['sglang v0.4.6.post1', 'sglang', '0.4.6.post1'],
  ['llama-server', 'llama.cpp', null],
  ['llama_cpp', 'llama.cpp', null],
  ['llama.cpp b6413', 'llama.cpp', 'b6413'],
  ['llama.cpp build: 6413', 'llama.cpp', 'b6413'],
  ['ik_llama.cpp', 'ik_llama.cpp', null],
  ['TRT-LLM', 'tensorrt-llm', null],
  ['TensorRT-LLM v0.16', 'tensorrt-llm', '0.16'],
  ['text-generation-inference', 'tgi', null],
  ['mlx-lm', 'mlx', null],
  ['ipex-llm', 'ipex-llm', null],
  ['BigDL-LLM', 'ipex-llm', null],
  ['ExLlamaV2', 'exllamav2', null],
  ['ExLlamaV2 0.2.4', 'exllamav2', '0.2.4'],
])('resolves %s to %s with the version %s', (text, id, version) => {
  expect(resolveEngine(text)).toEqual({ id, name: text, version, suggestions: [] });
});

test('keeps unknown engine names and suggests similar ones', () => {
  expect(resolveEngine('vlllm')).toEqual({ id: null, name: 'vlllm', version: null, suggestions: ['vllm'] });
  expect(resolveEngine('unspecified')).toEqual({ id: null, name: 'unspecified', version: null, suggestions: [] });
  expect(findEngine('vllm')?.name).toBe('vLLM');
});

// For unknown software, the name is the full text.
test('keeps the version in the name of an unknown engine', () => {
  expect(resolveEngine('FooServe 1.2')).toMatchObject({ id: null, name: 'FooServe 1.2', version: null });
});
