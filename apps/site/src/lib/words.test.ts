import { expect, test } from 'vitest';
import type { Scenario } from './api.ts';
import { scenarioText } from './words.ts';

const bare: Scenario = { id: 'x', input_tokens: null, output_tokens: null, dataset: null, depth: null, kernel: null };
const kernel = { operation: 'flexattention', case: 'Causal Mask', shape: [1, 1, 8192, 8192], sparsity: 0.4922 };

test('names the shape of a block mask, which is not that of the tensors', () => {
  const detailOf = (work: typeof kernel | (Omit<typeof kernel, 'sparsity'> & { sparsity: null })) =>
    scenarioText({ ...bare, kernel: work }).detail;
  expect(detailOf(kernel)).toBe('block mask 1 x 1 x 8,192 x 8,192');
  expect(detailOf({ ...kernel, shape: [8, 16, 4096, 64], sparsity: null })).toBe('shape 8 x 16 x 4,096 x 64');
});
