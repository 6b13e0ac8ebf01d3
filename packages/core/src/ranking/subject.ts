/** What points may be grouped by, and what has one entry each on a board. */
export const dimensions = [
  'model',
  'model_family',
  'quantization',
  'gpu',
  'gpu_count',
  'engine',
  'scenario',
  'workload',
  'system',
  'load',
] as const;

export type Dimension = (typeof dimensions)[number];
