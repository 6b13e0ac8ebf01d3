import { engines } from '@inferboard/core/catalogue/records';
import { expect, test } from 'vitest';
import { dialectOfEngine, dialects } from './dialects.ts';

test('are engines of the catalogue, except openai', () => {
  const ids = engines.map(({ id }) => id);
  expect(dialects.filter((dialect) => !ids.includes(dialect))).toEqual(['openai']);
});

test.each([
  ['vllm', 'vllm'],
  ['llama.cpp', 'llama.cpp'],
  ['ik_llama.cpp', 'llama.cpp'],
  ['tensorrt-llm', 'openai'],
  [null, 'openai'],
])('uses for the engine %s the dialect %s', (engine, dialect) => {
  expect(dialectOfEngine(engine)).toBe(dialect);
});
