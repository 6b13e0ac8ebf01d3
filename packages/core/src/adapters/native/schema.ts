import { z } from 'zod';
import { FeaturesSchema } from '../../features.ts';
import { InstantSchema } from '../../instant.ts';
import { loadModesOrUnspecified } from '../../load.ts';
import { SourceSchema } from '../../source.ts';
import { SourceUrlSchema } from '../../submission/source-url.ts';
import { NameSchema, proseSchema } from '../../text.ts';

const name = NameSchema;
const longText = proseSchema(10_000);
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
  /** Machines that the GPUs are in; kept as a feature. */
  nodes: count.nullish(),
  gpu_power_limit_w: z.number().min(0.001).max(1_000_000).nullish(),
  engine: orName(NamedSchema).nullish(),
  parallelism: ParallelismSchema.nullish(),
  features: FeaturesSchema.nullish(),
});

const KernelSchema = z.strictObject({
  operation: name,
  case: name,
  // Its length comes first: of a million entries not one is worth looking at.
  shape: z.array(z.unknown()).min(1).max(8).pipe(z.array(count)).nullish(),
  sparsity: z.number().min(0).max(1).nullish(),
});

const QualitySchema = z.strictObject({
  task: name,
  metric: name,
  variant: name.nullish(),
  few_shot: z.int().nonnegative().nullish(),
  context: count.nullish(),
});

const ScenarioSchema = z.strictObject({
  name: name.nullish(),
  input_tokens: z.number().int().nonnegative().nullish(),
  output_tokens: z.number().int().nonnegative().nullish(),
  dataset: name.nullish(),
  depth: z.number().int().nonnegative().nullish(),
  kernel: KernelSchema.nullish(),
  quality: QualitySchema.nullish(),
});
export type NativeScenario = z.infer<typeof ScenarioSchema>;

const LoadSchema = z.strictObject({
  mode: z.enum(loadModesOrUnspecified),
  level: positive.nullish(),
  burstiness: positive.nullish(),
  max_concurrency: count.nullish(),
  /** Set where everything is handed over at the start, whatever the mode. */
  regime: z.literal('offline').nullish(),
});

/** Mean tokens per request as they were measured. */
const MeasuredLengthsSchema = z.strictObject({
  input_tokens: positive.nullish(),
  output_tokens: positive.nullish(),
});

/** Like metrics, their names and values are checked against the registry: by hand, and no further than need be. */
const RepeatsSchema = z.strictObject({
  n: count.nullish(),
  sd: z.record(z.string(), z.unknown()).nullish(),
  samples: z.record(z.string(), z.unknown()).nullish(),
});

/** What a load generator says of itself. */
const GeneratorSchema = z.strictObject({
  /** How late it sent requests of an open loop. */
  late_ms_p99: z.number().nonnegative().nullish(),
  /** Requests that were due and never sent. */
  dropped: z.int().nonnegative().nullish(),
  /** Why its own limits may be in the figures; empty where they are not. */
  limited: z.array(longText).max(10).nullish(),
  /** What ended the measurement before all its requests were sent. */
  cut_short: z
    .strictObject({ reason: z.enum(['time_limit', 'failures', 'canceled']), planned_requests: count })
    .nullish(),
});

export const ResultSchema = z.strictObject({
  kind: z.enum(['serving', 'kernel', 'training', 'quality']).nullish(),
  load: LoadSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  measured_lengths: MeasuredLengthsSchema.nullish(),
  /** Names and values are checked against the registry, which knows more than a schema can say. */
  metrics: z.record(z.string(), z.unknown()).nullish(),
  definitions: z.record(z.string(), z.string()).nullish(),
  repetition: count.nullish(),
  repeats: RepeatsSchema.nullish(),
  ranges: z.record(z.string(), z.unknown()).nullish(),
  /** Read by hand: there may be two hundred thousand of them. */
  requests: z.unknown().optional(),
  slo: z.unknown().optional(),
  generator: GeneratorSchema.nullish(),
  /** True where the answers were made up, as those of our fake endpoint are. */
  simulated: z.boolean().nullish(),
  measured_at: InstantSchema.nullish(),
  /** Where it was published; what it lacks comes from that of the document. */
  source: SourceSchema.nullish(),
  notes: longText.nullish(),
});
export type NativeResult = z.infer<typeof ResultSchema>;

/** The native report: what someone writes whose tool we do not read. */
export const NativeSchema = z.strictObject({
  schema: z.literal('inferboard/v1'),
  tool: orName(NamedSchema).nullish(),
  system: SystemSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  /** Each is parsed by `ResultSchema`, one after another, so that a hundred faults end it. */
  results: z.array(z.unknown()).min(1),
  notes: longText.nullish(),
  source_url: SourceUrlSchema.nullish(),
  source: SourceSchema.nullish(),
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
  'scenario.quality': Object.keys(QualitySchema.shape),
  results: Object.keys(ResultSchema.shape),
  'results.load': Object.keys(LoadSchema.shape),
  'results.measured_lengths': Object.keys(MeasuredLengthsSchema.shape),
  'results.scenario': Object.keys(ScenarioSchema.shape),
  'results.scenario.kernel': Object.keys(KernelSchema.shape),
  'results.scenario.quality': Object.keys(QualitySchema.shape),
  'results.repeats': Object.keys(RepeatsSchema.shape),
  'results.generator': Object.keys(GeneratorSchema.shape),
  source: Object.keys(SourceSchema.shape),
  'results.source': Object.keys(SourceSchema.shape),
};
