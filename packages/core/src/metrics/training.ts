import { defineMetric } from './metric.ts';

const training = { kind: 'training', statistics: null, definitions: [], derived: false, needs: [] } as const;

export const wallS = defineMetric({
  ...training,
  base: 'wall_s',
  title: 'Wall time',
  unit: 's',
  direction: 'lower',
  description: 'Wall-clock time of a training run.',
  formula: 'as the submitter states it',
});

export const memoryGb = defineMetric({
  ...training,
  base: 'memory_gb',
  title: 'Memory',
  unit: 'GB',
  direction: 'lower',
  description: 'Accelerator memory in use.',
  formula: 'as the submitter states it',
});

export const batchSize = defineMetric({
  ...training,
  base: 'batch_size',
  title: 'Batch size',
  unit: '',
  direction: 'neutral',
  description: 'Training batch size.',
  formula: 'count',
});
