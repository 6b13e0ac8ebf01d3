import { defineMetric } from './metric.ts';

const kernel = { kind: 'kernel', statistics: null, definitions: [], derived: false, needs: [] } as const;

export const forwardMs = defineMetric({
  ...kernel,
  base: 'forward_ms',
  title: 'Forward time',
  unit: 'ms',
  direction: 'lower',
  description: 'Time of one forward call of a kernel.',
  formula: 'as the tool times it',
  glossary:
    'How long a GPU needs for one forward call of an operation, attention for instance, at a fixed shape. The program repeats the call after a warm-up and prints an average. Shape, mask and number format determine the time, so compare figures only if these are equal. Compilation and launch overhead may or may not be included.',
  prerequisites: ['operation, shape and number format'],
});

export const forwardTflopS = defineMetric({
  ...kernel,
  base: 'forward_tflop_s',
  title: 'Forward rate',
  unit: 'TFLOP/s',
  direction: 'higher',
  description: 'Arithmetic rate of the forward call. Counts only the unmasked work: compare within one operation.',
  formula: 'floating-point operations of the unmasked part / forward time',
  glossary:
    'Forward time turned into a rate by the operations the shape implies. A mask removes part of the work and a benchmark counts only what remains, so a sparse mask can show a lower rate in a shorter time. Programs disagree over whether a causal mask halves the count. Compare within one operation and one program.',
  prerequisites: ['operation, shape and number format', 'a count of operations under the mask'],
});

export const backwardMs = defineMetric({
  ...kernel,
  base: 'backward_ms',
  title: 'Backward time',
  unit: 'ms',
  direction: 'lower',
  description: 'Time of one backward call of a kernel.',
  formula: 'as the tool times it',
  glossary:
    'How long a GPU needs for one backward call, the gradients of the same operation at the same shape. It takes roughly two to three times the forward call, because it computes more products. Serving never runs it; it matters only for training. The time depends on whether gradients of every input are computed.',
  prerequisites: ['operation, shape and number format'],
});

export const backwardTflopS = defineMetric({
  ...kernel,
  base: 'backward_tflop_s',
  title: 'Backward rate',
  unit: 'TFLOP/s',
  direction: 'higher',
  description: 'Arithmetic rate of the backward call. Counts only the unmasked work: compare within one operation.',
  formula: 'floating-point operations of the unmasked part / backward time',
  glossary:
    'Backward time turned into a rate. Benchmarks usually take the backward work as two and a half times the forward work for attention; another convention shifts every figure by the same factor. Masks lower the count of operations as they do forward. Compare within one operation and one program.',
  prerequisites: ['operation, shape and number format', 'a count of operations under the mask'],
});
