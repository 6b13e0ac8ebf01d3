import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engines, gpus, quantizations } from './index.ts';
import { findMisspelt } from './misspelt-facts.ts';

test('finds all names that are similar to names of the catalogue, with the closest entries', () => {
  expect(findMisspelt({ gpu: 'h100-smx', engine: 'vllmm', quantization: 'awq-int' })).toEqual([
    { fact: 'gpu', name: 'h100-smx', suggestions: expect.arrayContaining(['h100-sxm']) },
    { fact: 'engine', name: 'vllmm', suggestions: ['vllm'] },
    { fact: 'quantization', name: 'awq-int', suggestions: ['awq-int4'] },
  ]);
});

test.each([
  ['names of the catalogue', { gpu: 'H100 SXM 80GB', engine: 'vLLM', quantization: 'Q4_K_M' }],
  ['a family, and a count of it', { gpu: '8xH100' }],
  ['an undisclosed name', { gpu: 'unspecified', engine: 'unspecified', quantization: 'unspecified' }],
  ['names unlike all others', { gpu: 'vr200', engine: 'my-engine' }],
  ['nothing', {}],
])('accepts %s', (_, given) => {
  expect(findMisspelt(given)).toEqual([]);
});

test('an entry of the catalogue is never misspelt', () => {
  const idOf = (rows: readonly { id: string }[]) => fc.constantFrom(...rows.map(({ id }) => id));
  const entries = fc.record({ gpu: idOf(gpus), engine: idOf(engines), quantization: idOf(quantizations) });
  fc.assert(
    fc.property(entries, (given) => {
      expect(findMisspelt(given)).toEqual([]);
    }),
  );
});
