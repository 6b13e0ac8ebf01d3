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
  glossary:
    'The elapsed time of a training run, as stated by its submitter. Loading, checkpoints and evaluation may be included, and it is not normalised for steps, data or quality. Use it as information about one set-up, not to rank hardware.',
  prerequisites: ['steps, data and set-up of the run'],
});

export const memoryGb = defineMetric({
  ...training,
  base: 'memory_gb',
  title: 'Memory',
  unit: 'GB',
  direction: 'lower',
  description: 'Accelerator memory in use.',
  formula: 'as the submitter states it',
  glossary:
    'How much accelerator memory a training run needed, as stated by its submitter. Parameters, gradients, optimizer state and activations add up; checkpointing, sharding and smaller batches bring it down. Frameworks reserve more than they use, and drivers show the reserve, so two measurements can differ by gigabytes.',
  prerequisites: ['whether it is reserved or in use, and on how many GPUs'],
});

export const batchSize = defineMetric({
  ...training,
  base: 'batch_size',
  title: 'Batch size',
  unit: '',
  direction: 'neutral',
  description: 'Training batch size.',
  formula: 'count',
  glossary:
    'How many samples went into one training step. Larger batches fill the hardware better and take more memory; learning changes with them as well, so neither direction is better. With gradient accumulation or several GPUs the batch of a device and the batch of a step are different numbers, and submitters rarely state which is meant.',
  prerequisites: ['whether it is per device or per step'],
});
