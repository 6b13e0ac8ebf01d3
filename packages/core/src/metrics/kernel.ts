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
});

export const forwardTflopS = defineMetric({
  ...kernel,
  base: 'forward_tflop_s',
  title: 'Forward rate',
  unit: 'TFLOP/s',
  direction: 'higher',
  description:
    'Arithmetic rate of the forward call. Counts only the work its mask leaves: compare within one operation.',
  formula: 'floating-point operations of the unmasked part / forward time',
});

export const backwardMs = defineMetric({
  ...kernel,
  base: 'backward_ms',
  title: 'Backward time',
  unit: 'ms',
  direction: 'lower',
  description: 'Time of one backward call of a kernel.',
  formula: 'as the tool times it',
});

export const backwardTflopS = defineMetric({
  ...kernel,
  base: 'backward_tflop_s',
  title: 'Backward rate',
  unit: 'TFLOP/s',
  direction: 'higher',
  description:
    'Arithmetic rate of the backward call. Counts only the work its mask leaves: compare within one operation.',
  formula: 'floating-point operations of the unmasked part / backward time',
});
