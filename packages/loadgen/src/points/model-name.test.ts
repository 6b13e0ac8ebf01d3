import { expect, test } from 'vitest';
import { shownModel } from './model-name.ts';

test.each([
  ['/models/Qwen3-8B-Q4_K_M.gguf', 'Qwen3-8B-Q4_K_M'],
  ['C:\\models\\Qwen3-8B.GGUF', 'Qwen3-8B'],
  ['Qwen3-8B.gguf', 'Qwen3-8B'],
  ['Qwen/Qwen3-8B', 'Qwen/Qwen3-8B'],
  ['Qwen/Qwen3-8B-GGUF:Q4_K_M', 'Qwen/Qwen3-8B-GGUF:Q4_K_M'],
])('shows the model %s as %s', (model, shown) => {
  expect(shownModel(model)).toBe(shown);
});
