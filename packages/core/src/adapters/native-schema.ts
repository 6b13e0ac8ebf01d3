import { z } from 'zod';
import { loadModes } from '../load.ts';

const name = z.string().trim().min(1).max(200);
const longText = z.string().max(10_000);
const count = z.number().int().positive();
const positive = z.number().positive();

/** A word where an object may stand: `"engine": "vllm"` is `"engine": {"name": "vllm"}`. */
const orName = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (typeof value === 'string' ? { name: value } : value), schema);

const NamedSchema = z.strictObject({ name, version: name.nullish() });

const ParallelismSchema = z.strictObject({
  tensor: count.nullish(),
  pipeline: count.nullish(),
  data: count.nullish(),
  expert: count.nullish(),
});

const SystemSchema = z.strictObject({
  model: name.nullish(),
  quantization: name.nullish(),
  gpu: name.nullish(),
  gpu_count: count.nullish(),
  gpu_power_limit_w: positive.nullish(),
  engine: orName(NamedSchema).nullish(),
  parallelism: ParallelismSchema.nullish(),
  features: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.union([z.string().max(200), z.number(), z.boolean()]))
    .nullish(),
});

const KernelSchema = z.strictObject({
  operation: name,
  case: name,
  shape: z.array(count).min(1).max(8).nullish(),
  sparsity: z.number().min(0).max(1).nullish(),
});

const ScenarioSchema = z.strictObject({
  name: name.nullish(),
  input_tokens: z.number().int().nonnegative().nullish(),
  output_tokens: z.number().int().nonnegative().nullish(),
  dataset: name.nullish(),
  depth: z.number().int().nonnegative().nullish(),
  kernel: KernelSchema.nullish(),
});
export type NativeScenario = z.infer<typeof ScenarioSchema>;

const LoadSchema = z.strictObject({
  mode: z.enum(loadModes),
  level: positive,
  burstiness: positive.nullish(),
  max_concurrency: count.nullish(),
});

const RepeatsSchema = z.strictObject({
  n: count.nullish(),
  sd: z.record(z.string(), z.number().nonnegative()).nullish(),
  samples: z.record(z.string(), z.array(z.number().nonnegative()).max(10_000)).nullish(),
});

const ResultSchema = z.strictObject({
  kind: z.enum(['serving', 'kernel', 'training']).nullish(),
  load: LoadSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  /** Names and values are checked against the registry, which knows more than a schema can say. */
  metrics: z.record(z.string(), z.unknown()),
  definitions: z.record(z.string(), z.string()).nullish(),
  repetition: count.nullish(),
  repeats: RepeatsSchema.nullish(),
  measured_at: z.iso.datetime({ offset: true }).nullish(),
  notes: longText.nullish(),
});
export type NativeResult = z.infer<typeof ResultSchema>;

/** The native report: what someone writes whose tool we do not read. */
export const NativeSchema = z.strictObject({
  schema: z.literal('inferboard/v1'),
  tool: orName(NamedSchema).nullish(),
  system: SystemSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  results: z.array(ResultSchema).min(1),
  notes: longText.nullish(),
  source_url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .nullish(),
});
export type NativeReport = z.infer<typeof NativeSchema>;

/** Field names by place, for the hint beside an unknown one. Places are the path without indexes. */
export const nativeFields: Record<string, readonly string[]> = {
  '': Object.keys(NativeSchema.shape),
  tool: Object.keys(NamedSchema.shape),
  system: Object.keys(SystemSchema.shape),
  'system.engine': Object.keys(NamedSchema.shape),
  'system.parallelism': Object.keys(ParallelismSchema.shape),
  scenario: Object.keys(ScenarioSchema.shape),
  'scenario.kernel': Object.keys(KernelSchema.shape),
  results: Object.keys(ResultSchema.shape),
  'results.load': Object.keys(LoadSchema.shape),
  'results.scenario': Object.keys(ScenarioSchema.shape),
  'results.scenario.kernel': Object.keys(KernelSchema.shape),
  'results.repeats': Object.keys(RepeatsSchema.shape),
};
