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

test('a kernel has no quantization', () => {
  const named = (name: string, title: string) =>
    quantizationText({ quantization: { id: null, name, recipe: [], title } } as unknown as System); // only the quantization matters
  expect([named('n/a', 'n/a'), named('Q4_K - Medium', 'Q4_K_M')]).toEqual([null, 'Q4_K_M']);
});
