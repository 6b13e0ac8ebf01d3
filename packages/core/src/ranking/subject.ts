/** Dimensions for grouping points and for the subject of a board's entries. */
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
