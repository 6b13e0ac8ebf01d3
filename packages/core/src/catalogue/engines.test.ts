import { expect, test } from 'vitest';
import { findEngine, resolveEngine } from './engines.ts';

test.each([
  ['vLLM', 'vllm'],
  ['vllm 0.11.0', 'vllm'],
  ['vllm/0.6.3.post1', 'vllm'],
  ['SGLang', 'sglang'],
  ['llama-server', 'llama.cpp'],
  ['llama_cpp', 'llama.cpp'],
  ['llama.cpp b6413', 'llama.cpp'],
  ['ik_llama.cpp', 'ik_llama.cpp'],
  ['TRT-LLM', 'tensorrt-llm'],
  ['TensorRT-LLM v0.16', 'tensorrt-llm'],
  ['text-generation-inference', 'tgi'],
  ['mlx-lm', 'mlx'],
  ['ExLlamaV2', 'exllamav2'],
])('%s is %s', (text, id) => {
  expect(resolveEngine(text)).toEqual({ id, name: text, suggestions: [] });
});

test('unknown engines keep their words, slips are suggested', () => {
  expect(resolveEngine('vlllm')).toEqual({ id: null, name: 'vlllm', suggestions: ['vllm'] });
  expect(resolveEngine('unspecified')).toEqual({ id: null, name: 'unspecified', suggestions: [] });
  expect(findEngine('vllm')?.name).toBe('vLLM');
});
