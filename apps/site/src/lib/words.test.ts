import { expect, test } from 'vitest';
import type { Scenario, System } from './api.ts';
import { quantizationText, scenarioText } from './words.ts';

const bare: Scenario = { id: 'x', input_tokens: null, output_tokens: null, dataset: null, depth: null, kernel: null };
const kernel = { operation: 'flexattention', case: 'Causal Mask', shape: [1, 1, 8192, 8192], sparsity: 0.4922 };

test('names the shape of a block mask, which is not that of the tensors', () => {
  const detailOf = (work: typeof kernel | (Omit<typeof kernel, 'sparsity'> & { sparsity: null })) =>
    scenarioText({ ...bare, kernel: work }).detail;
  expect(detailOf(kernel)).toBe('block mask 1 x 1 x 8,192 x 8,192');
  expect(detailOf({ ...kernel, shape: [8, 16, 4096, 64], sparsity: null })).toBe('shape 8 x 16 x 4,096 x 64');
});

test('a scenario of lengths does not repeat them', () => {
  const lengths = { ...bare, id: '2000-100', input_tokens: 2000, output_tokens: 100, dataset: 'random' };
  expect(scenarioText(lengths)).toEqual({ title: '2,000 → 100 tokens', detail: 'random' });
  expect(scenarioText({ ...bare, id: '8k-1k', input_tokens: 8192, output_tokens: 1024 })).toEqual({
    title: '8K→1K',
    detail: '8,192 → 1,024 tokens',
  });
});

test('a bare fp4 is named by its format', () => {
  const named = (id: string | null, name: string) =>
    quantizationText({ quantization: { id, name, recipe: [] } } as unknown as System); // only the quantization matters
  expect([named('nvfp4', 'fp4'), named('mxfp4', 'FP4'), named(null, 'fp4')]).toEqual(['nvfp4', 'mxfp4', 'fp4']);
  expect(named('gguf-q4_0', 'Q4_0')).toBe('Q4_0');
});
