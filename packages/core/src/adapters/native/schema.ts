import { z } from 'zod';
import { FeaturesSchema } from '../../subjects/features.ts';
import { loadModesOrUnspecified } from '../../subjects/load.ts';
import { SourceSchema } from '../../subjects/source.ts';
import { SourceUrlSchema } from '../../submission/source-url.ts';
import { InstantSchema } from '../../text/instant.ts';
import { NameSchema, proseSchema } from '../../text/text.ts';

const name = NameSchema;
const longText = proseSchema(10_000);
const count = z.number().int().positive();
const positive = z.number().positive();

/** The schemas of fields that accept a name instead of an object. */
export const namedFields = new WeakSet<object>();

/** Accepts a text in place of an object: `"engine": "vllm"` means `"engine": {"name": "vllm"}`. */
const orName = <S extends z.ZodType>(schema: S) => {
  const named = z.preprocess((value) => (typeof value === 'string' ? { name: value } : value), schema);
  namedFields.add(named);
  return named;
};

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
  /** Number of machines with the GPUs; stored as a feature. */
  nodes: count.nullish(),
  gpu_power_limit_w: z.number().min(0.001).max(1_000_000).nullish(),
  engine: orName(NamedSchema).nullish(),
  parallelism: ParallelismSchema.nullish(),
  features: FeaturesSchema.nullish(),
});

const KernelSchema = z.strictObject({
  operation: name,
  case: name,
  // The length is checked first, so that the entries of a very long list are not read.
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
  /** Set if all requests are submitted at the start, in any mode. */
  regime: z.literal('offline').nullish(),
});

/** Mean measured tokens per request. */
const MeasuredLengthsSchema = z.strictObject({
  input_tokens: positive.nullish(),
  output_tokens: positive.nullish(),
});

/** Names and values are checked against the registry without a schema, like metrics, and only as far as needed. */
const RepeatsSchema = z.strictObject({
  n: count.nullish(),
  sd: z.record(z.string(), z.unknown()).nullish(),
  samples: z.record(z.string(), z.unknown()).nullish(),
});

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What the load generator read from the server and from its machine. */
const DetectedSchema = z.strictObject({
  /** Commit of the model's repository. */
  model_revision: name.nullish(),
  /** SHA-256 of the weights file. */
  weights_sha256: sha256.nullish(),
  container_image: name.nullish(),
  /** As the vendor's tool names it. */
  gpu_name: name.nullish(),
  gpu_count: count.nullish(),
  gpu_driver: name.nullish(),
});

/** Maximum number and length of the notes of a load generator. */
export const generatorNotes = { max: 20, lengthMax: 500 };

/** Facts about the load generator. */
const GeneratorSchema = z.strictObject({
  /** How late it sent requests of an open loop, in ms. */
  late_ms_p99: z.number().nonnegative().nullish(),
  /** Requests that were due but not sent. */
  dropped: z.int().nonnegative().nullish(),
  /** Reasons why the generator may have limited the figures; empty if it did not. */
  limited: z.array(longText).max(10).nullish(),
  /** Requests that were sent twice, because the server had closed the connection. */
  retried: z.int().nonnegative().nullish(),
  /** What differed from the requested measurement, and how tokens were counted. */
  notes: z.array(proseSchema(generatorNotes.lengthMax)).max(generatorNotes.max).nullish(),
  /** Processes, maybe on several machines, that shared the requests, and the maximum difference of two of their clocks in ms. */
  workers: z.strictObject({ count, clock_error_ms: z.number().nonnegative().nullish() }).nullish(),
  /** What the prompts of a named workload are made from, and the SHA-256 of all request bodies, one per line. */
  prompts: z.strictObject({ seed: z.int().nonnegative(), salt: name, bodies_sha256: sha256 }).nullish(),
  /** Requests other than a named workload: their sources and the SHA-256 of their bodies. */
  traffic: z
    .strictObject({
      seed: z.int().nonnegative(),
      bodies_sha256: sha256,
      files: z
        .array(z.strictObject({ name, sha256, records: z.int().nonnegative() }))
        .max(100)
        .nullish(),
    })
    .nullish(),
  /** The session that compared two servers in alternating blocks, and which of them this is. */
  session: z.strictObject({ id: name, server: z.enum(['a', 'b']) }).nullish(),
  /** The reason why the measurement ended before all requests were sent. */
  cut_short: z
    .strictObject({ reason: z.enum(['time_limit', 'failures', 'canceled', 'stopped']), planned_requests: count })
    .nullish(),
});

/** Later instants have no date. */
const unixMs = z.number().positive().max(8.64e15);

/** Readings of the server and its GPUs while the result was measured. */
const ObservedSchema = z.strictObject({
  /** The zero of the requests' times. */
  started_unix_ms: unixMs,
  samples: z.array(z.strictObject({ unixMs, values: z.record(name, z.number()) })).max(10_000),
});

export const ResultSchema = z.strictObject({
  kind: z.enum(['serving', 'kernel', 'training', 'quality']).nullish(),
  load: LoadSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  measured_lengths: MeasuredLengthsSchema.nullish(),
  /** Names and values are checked against the registry, which has rules that a schema cannot express. */
  metrics: z.record(z.string(), z.unknown()).nullish(),
  definitions: z.record(z.string(), z.string()).nullish(),
  repetition: count.nullish(),
  repeats: RepeatsSchema.nullish(),
  ranges: z.record(z.string(), z.unknown()).nullish(),
  /** Validated without a schema: there may be two hundred thousand of them. */
  requests: z.unknown().optional(),
  slo: z.unknown().optional(),
  generator: GeneratorSchema.nullish(),
  detected: DetectedSchema.nullish(),
  observed: ObservedSchema.nullish(),
  /** True if the responses are synthetic, such as those of our fake endpoint. */
  simulated: z.boolean().nullish(),
  measured_at: InstantSchema.nullish(),
  /** The publication. Missing fields come from the document's source. */
  source: SourceSchema.nullish(),
  notes: longText.nullish(),
});
export type NativeResult = z.infer<typeof ResultSchema>;

/** The native report, for figures of tools without an adapter. */
export const NativeSchema = z.strictObject({
  schema: z.literal('inferboard/v1'),
  tool: orName(NamedSchema).nullish(),
  system: SystemSchema.nullish(),
  scenario: orName(ScenarioSchema).nullish(),
  /** `ResultSchema` parses each one in turn, so that reading stops at a hundred errors. */
  results: z.array(z.unknown()).min(1),
  notes: longText.nullish(),
  source_url: SourceUrlSchema.nullish(),
  source: SourceSchema.nullish(),
});
export type NativeReport = z.infer<typeof NativeSchema>;

/** Field names by path without indexes, for the hint on an unknown field. */
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
  'results.observed': Object.keys(ObservedSchema.shape),
  'results.generator': Object.keys(GeneratorSchema.shape),
  'results.detected': Object.keys(DetectedSchema.shape),
  source: Object.keys(SourceSchema.shape),
  'results.source': Object.keys(SourceSchema.shape),
};
