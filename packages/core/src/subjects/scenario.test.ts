import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scenario, scenarioKey } from './scenario.ts';

const chatbot: Scenario = {
  id: 'chatbot',
  inputTokens: 1024,
  outputTokens: 256,
  dataset: null,
  depth: null,
  kernel: null,
};
const kernel = { operation: 'flexattention', case: 'Causal Mask', shape: [8, 16, 4096, 64], sparsity: 0.5 };

test('gives the same key for the same workload', () => {
  expect(scenarioKey({ ...chatbot })).toBe(scenarioKey(chatbot));
  expect(scenarioKey({ ...chatbot, dataset: 'Our  Prompts' })).toBe(
    scenarioKey({ ...chatbot, dataset: 'our prompts' }),
  );
});

describe('each fact identifies the workload', () => {
  const others: Scenario[] = [
    { ...chatbot, id: 'unspecified' },
    { ...chatbot, inputTokens: 1025 },
    { ...chatbot, inputTokens: null },
    { ...chatbot, inputTokens: 0 },
    { ...chatbot, outputTokens: 257 },
    { ...chatbot, outputTokens: null },
    { ...chatbot, inputTokens: 256, outputTokens: 1024 },
    { ...chatbot, dataset: 'sharegpt' },
    { ...chatbot, depth: 4096 },
    { ...chatbot, depth: 0 },
    { ...chatbot, kernel },
    { ...chatbot, kernel: { ...kernel, operation: 'flash' } },
    { ...chatbot, kernel: { ...kernel, case: 'Sliding Window' } },
    { ...chatbot, kernel: { ...kernel, shape: [8, 16, 8192, 64] } },
    { ...chatbot, kernel: { ...kernel, shape: null } },
  ];

  test('gives different keys', () => {
    const keys = [chatbot, ...others].map(scenarioKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  // A half-skipped mask is half the work: timings of the two are not repetitions of each other.
  test('includes the sparsity of a kernel', () => {
    const work = (sparsity: number | null) => scenarioKey({ ...chatbot, kernel: { ...kernel, shape: null, sparsity } });
    expect(work(0.5)).not.toBe(work(0.9));
  });
});

test('gives two token workloads the same key if and only if their facts are equal', () => {
  const maybe = fc.option(fc.integer({ min: 0, max: 3 }));
  const scenarios = fc.record({
    id: fc.constantFrom('200-60', 'pp512'),
    inputTokens: maybe,
    outputTokens: maybe,
    dataset: fc.option(fc.constantFrom('a', 'b', 'null', '')),
    depth: maybe,
    kernel: fc.constant(null),
  });
  fc.assert(
    fc.property(scenarios, scenarios, (a, b) => {
      const same = (Object.keys(a) as Exclude<keyof Scenario, 'quality'>[]).every((field) => a[field] === b[field]);
      expect(scenarioKey(a) === scenarioKey(b)).toBe(same);
    }),
    { numRuns: 1000 },
  );
});
