import { expect, test } from 'vitest';
import { toModelName } from './model-name.ts';

// Stored, it would be a model that no other result has.
test.each([
  'YOUR_MODEL',
  'your-model-here',
  'MODEL_NAME',
  'MODEL',
  'model_id',
  'my_model',
  'MODEL_PATH',
  '[MODEL]',
  '<model>',
  '{model}',
  '$MODEL',
  'path/to/your/model',
  '/models/your-model.gguf',
  'org/your-model-name',
  'xxx',
])('has no model for the placeholder %s', (text) => {
  expect(toModelName(text)).toBeNull();
});

test.each([
  ['org/Qwen3-8B', 'org/Qwen3-8B'],
  ['/models/Qwen3-8B', 'Qwen3-8B'],
  ['my-model-7b', 'my-model-7b'],
  ['ModelScope-7B', 'ModelScope-7B'],
  ['org/model-00001-of-00002', 'org/model-00001-of-00002'],
  ['xxx-7b', 'xxx-7b'],
])('reads %s as %s', (text, name) => {
  expect(toModelName(text)).toBe(name);
});
