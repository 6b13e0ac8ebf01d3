import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text)).results;
const cases = fixture('attention-gym/2025-09-three-cases.txt');

test('reads each row of each case as a kernel result with its mask', () => {
  const results = read(cases);
  expect(results).toHaveLength(9);
  expect(results[0]).toMatchObject({
    kind: 'kernel',
    metrics: { forward_ms: 6.6376, forward_tflop_s: 331.3, backward_ms: 20.3867, backward_tflop_s: 269.66 },
    scenario: { kernel: { operation: 'causal FA2', case: 'Causal Mask', shape: [1, 1, 8192, 8192], sparsity: 0.4922 } },
    system: { engine: { value: 'causal FA2', origin: 'stated' } },
    load: { mode: 'unspecified', level: null },
  });
  // A case without a block mask has no shape; it does not inherit one from the next case.
  expect(results[5]?.scenario.kernel).toEqual({
    operation: 'flexattention',
    case: 'Alibi Mod',
    shape: null,
    sparsity: null,
  });
  expect(results[8]?.scenario.kernel?.sparsity).toBe(0.8682);
});

// The script runs plain causal attention as "causal FA2" for every mask and score function.
test('separates references of another function from the case', () => {
  const casesOf = (text: string) => read(text).map(({ scenario }) => scenario.kernel?.case);
  const causal = 'causal reference, another function';
  expect(casesOf(cases)).toEqual([
    ...['Causal Mask', 'Causal Mask', 'Causal Mask'],
    ...[`Alibi Mod (${causal})`, 'Alibi Mod (reference without the score function)', 'Alibi Mod'],
    ...[`Sliding Window 1024 (${causal})`, 'Sliding Window 1024', 'Sliding Window 1024'],
  ]);
  expect(casesOf(cases.replace('Sliding Window 1024', 'Prefix Lm Causal Mask'))[6]).toBe(
    `Prefix Lm Causal Mask (${causal})`,
  );
  // Causal FA2 has no block mask.
  expect(read(cases)[6]?.scenario.kernel).toMatchObject({ shape: null, sparsity: null });
});

test('takes the batch only from the title, not from the block mask', () => {
  const loadOf = (text: string) => read(text)[0]?.load;
  expect(loadOf(cases)).toEqual({ mode: 'unspecified', level: null });
  const titled = fixture('attention-gym/2025-09-forward-only.txt').replace('B=1,', 'B=4,');
  expect(loadOf(titled)).toEqual({ mode: 'batch', level: 4 });
});

test('omits the backward pass if there are no backward columns', () => {
  const results = read(fixture('attention-gym/2025-09-forward-only.txt'));
  expect(results.map(({ metrics }) => metrics)).toEqual([
    { forward_ms: 6.6376, forward_tflop_s: 331.3 },
    { forward_ms: 10.0974 },
  ]);
  expect(results[0]?.scenario.kernel?.shape).toEqual([1, 2, 128]);
});

test.each([
  [
    'a case with a failed check',
    cases.replace('Correctness check passed ✅', 'Correctness check failed ❌'),
    'are not valid',
  ],
  ['a case cut before its table', cases.slice(0, cases.lastIndexOf('Correctness')), 'has no table'],
  ['a truncated row', cases.replace('|         6.6376 |            331.3  |', '|         6.6376 |'), 'has 4 cells'],
  ['a truncated figure', cases.replace('6.6376', '6.63… '), 'not a number'],
])('rejects %s', (_, text, reason) => {
  expect(() => read(text)).toThrow(new RegExp(reason));
});

test('does not claim a box of another program', () => {
  expect(() => read(cases.slice(0, cases.indexOf('+---')))).toThrow(
    expect.objectContaining({ code: 'tool_unrecognised' }),
  );
});
