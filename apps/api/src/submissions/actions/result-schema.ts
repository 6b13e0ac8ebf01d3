import { z } from '@hono/zod-openapi';
import { loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import { origins, resultStatuses, submissionStatuses, trustLevels } from '@inferboard/core/subjects/result';
import { regimes } from '@inferboard/core/workloads/regime';
import { orNull } from '../../boards/choice-schema.ts';
import { MetricValuesSchema } from '../../schemas/common.ts';

const ref = z.object({ id: z.string().nullable(), name: z.string() });

export const SystemSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    model: ref.extend({ family: z.string().nullable(), title: z.string() }),
    quantization: ref.extend({ recipe: z.array(z.string()) }),
    gpu: ref.extend({ family: z.string().nullable(), title: z.string() }),
    gpu_count: z.number().int().nullable(),
    gpu_power_limit_w: z.number().nullable(),
    engine: ref.extend({ version: z.string().nullable(), title: z.string() }),
    parallelism: z.object({
      tensor: z.number().nullable(),
      pipeline: z.number().nullable(),
      data: z.number().nullable(),
      expert: z.number().nullable(),
    }),
    features: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    links: z.object({ self: z.string(), page: z.string() }),
  })
  .openapi('System');

const optionalOfRef = { family: true, title: true } as const;

/** The system fields of a response that may be short. */
export const ListedSystemSchema = SystemSchema.partial({
  label: true,
  gpu_power_limit_w: true,
  parallelism: true,
  features: true,
  links: true,
})
  .extend({
    model: SystemSchema.shape.model.partial(optionalOfRef),
    quantization: SystemSchema.shape.quantization.partial({ recipe: true }),
    gpu: SystemSchema.shape.gpu.partial(optionalOfRef),
    engine: SystemSchema.shape.engine.partial({ title: true }),
  })
  .openapi('ListedSystem', {
    description: 'A system in a list. A short response has its name; `GET /v1/systems/{id}` has its other facts.',
  });

export const QualityTaskSchema = z
  .object({
    task: z.string().openapi({ description: 'Name used by the tool.' }),
    metric: z.string(),
    variant: z.string().nullable().openapi({ description: 'How answers were extracted from the output.' }),
    few_shot: z.number().int().nullable().openapi({ description: 'Examples in the prompt.' }),
    context: z.number().int().nullable().openapi({ description: 'Tokens of a window of text.' }),
  })
  .openapi('QualityTask', { description: 'The task of an evaluation.' });

export const ScenarioSchema = z
  .object({
    id: z
      .string()
      .openapi({ description: 'The shape: a named one, or one named by its data set and rounded lengths.' }),
    input_tokens: z.number().int().nullable().openapi({ description: 'Per request, as requested.' }),
    output_tokens: z.number().int().nullable().openapi({ description: 'Per request, as requested.' }),
    dataset: z.string().nullable(),
    depth: z.number().int().nullable(),
    kernel: z
      .object({
        operation: z.string(),
        case: z.string(),
        shape: z.array(z.number()).nullable(),
        sparsity: z.number().nullable(),
      })
      .nullable(),
    quality: QualityTaskSchema.optional().openapi({ description: 'Only for evaluations.' }),
  })
  .openapi('Scenario');

export const ListedScenarioSchema = ScenarioSchema.partial()
  .required({ id: true })
  .openapi('ListedScenario', { description: 'A shape in a list. A short response has its id.' });

export const WorkloadSchema = z
  .object({
    id: z.string().openapi({
      description:
        'The shape and its regime; only the shape for a kernel or a training run; the task for an evaluation.',
    }),
    regime: z.enum(regimes).nullable(),
    input_tokens: z.number().int().nullable().openapi({ description: 'Of the shape, which may be rounded.' }),
    output_tokens: z.number().int().nullable().openapi({ description: 'Of the shape, which may be rounded.' }),
    dataset: z.string().nullable(),
    depth: z.number().int().nullable(),
  })
  .openapi('Workload', {
    description: 'The requested work. Only results of one workload are ranked together.',
  });

export const ListedWorkloadSchema = WorkloadSchema.partial()
  .required({ id: true })
  .openapi('ListedWorkload', { description: 'A workload in a list. A short response has its id.' });

export const MeasuredLengthsSchema = z
  .object({ input_tokens: z.number().nullable(), output_tokens: z.number().nullable() })
  .openapi('MeasuredLengths', { description: 'Mean tokens per request, as measured by the tool.' });

export const LoadSchema = z
  .object({
    mode: z.enum(loadModesOrUnspecified),
    level: z.number().nullable().openapi({ description: 'Null if the mode is unspecified.' }),
    burstiness: z.number().nullable(),
    max_concurrency: z.number().nullable(),
  })
  .openapi('Load');

export const ListedLoadSchema = LoadSchema.partial({ burstiness: true, max_concurrency: true }).openapi('ListedLoad');

export const FindingSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['info', 'warning', 'violation', 'unchecked']),
    message: z.string(),
    evidence: z.record(z.string(), z.unknown()),
  })
  .openapi('Finding');

export const RepeatsSchema = z
  .object({
    n: z.number().int().nullable(),
    sd: z.record(z.string(), z.number()),
    samples: z.record(z.string(), z.array(z.number())).nullable(),
  })
  .openapi('Repeats');

export const CertifiedSchema = z
  .record(
    z.string(),
    z.object({
      status: z.enum(['certified', 'too_few_samples', 'uncertified']),
      n: z.number().int().nullable(),
      floor: z.number().int().nullable(),
      value: z.number().nullable(),
      upper_99: z.number().nullable(),
    }),
  )
  .openapi('Certified', {
    description:
      'By percentile. `certified`: computed here from per-request records; `upper_99` is above the true percentile with 99 % confidence. ' +
      '`too_few_samples`: the metric is null because it has fewer than `floor` samples; `value` is their estimate. ' +
      '`uncertified`: copied from the summary of a tool.',
  });

export const LimitsSchema = z
  .object({
    ttft_ms: z.number().nullable(),
    itl_ms: z.number().nullable(),
    tpot_ms: z.number().nullable(),
    e2e_ms: z.number().nullable(),
  })
  .openapi('Limits', { description: 'Latency limits behind a goodput: a request is good if it meets all of them.' });

export const SourceSchema = z
  .object({
    publisher: z.string().nullable().openapi({ description: 'The publisher.', example: 'MLCommons' }),
    title: z.string().nullable().openapi({ description: 'The publication.', example: 'MLPerf Inference v5.1, Closed' }),
    url: z.string().nullable(),
    licence: z.string().nullable().openapi({ example: 'Apache-2.0' }),
    entry: z
      .string()
      .nullable()
      .openapi({ description: 'The entry within the publication.', example: '5.1-0001, AMD' }),
    retrieved_at: z.string().nullable().openapi({ description: 'A date.', example: '2025-09-09' }),
  })
  .openapi('Source', {
    description:
      'Where a figure was published, as stated by its submitter or its file. If its origin is `imported`, the operator imported it from there.',
  });

export const KindSchema = z.enum(['serving', 'kernel', 'training', 'quality']);
export const StatusSchema = z.enum(resultStatuses);
export const SubmissionStatusSchema = z.enum(submissionStatuses);
export const TrustSchema = z.enum(trustLevels);

export const ResultSchema = z
  .object({
    id: z.string().nullable().openapi({ description: 'Null in the response to a dry run.' }),
    kind: KindSchema,
    status: StatusSchema,
    system: SystemSchema,
    scenario: ScenarioSchema,
    workload: WorkloadSchema,
    measured_lengths: MeasuredLengthsSchema.nullable(),
    load: LoadSchema,
    repetition: z.number().int().nullable(),
    metrics: MetricValuesSchema,
    derived: MetricValuesSchema,
    definitions: z.record(z.string(), z.string()),
    findings: z.array(FindingSchema),
    passed: z.array(z.string()).openapi({ description: 'Checks that ran and found nothing.' }),
    certified: CertifiedSchema,
    limits: LimitsSchema.nullable(),
    ranges: z
      .record(z.string(), z.tuple([z.number(), z.number()]))
      .nullable()
      .openapi({ description: 'Lowest and highest value of metrics without other statistics.' }),
    trust: TrustSchema,
    origin: z.enum(origins).openapi({
      description: '`imported`: the operator imported it from the publication that `source` names.',
    }),
    tool: z.object({ name: z.string(), version: z.string().nullable() }),
    repeats: RepeatsSchema.nullable(),
    lines: z.object({ from: z.number().int(), to: z.number().int() }),
    submission_id: z.string().nullable(),
    copy_of: z.string().nullable().openapi({
      description:
        'The earlier result of the same bytes, or of the same requests by another account. A copy is shown but not counted again.',
    }),
    measured_at: z.string().nullable(),
    source: orNull(SourceSchema).openapi({ description: 'Where it was published; null if not stated.' }),
    created_at: z.string().nullable(),
  })
  .openapi('Result');

/** A result in a list, which may be short. */
export const ListedResultSchema = ResultSchema.partial()
  .required({
    id: true,
    kind: true,
    load: true,
    metrics: true,
    derived: true,
    definitions: true,
    findings: true,
    trust: true,
    origin: true,
    submission_id: true,
  })
  .extend({
    system: ListedSystemSchema,
    scenario: ListedScenarioSchema,
    load: ListedLoadSchema,
    status: StatusSchema.optional().openapi({ description: 'A short response omits it if it is accepted.' }),
    findings: z
      .array(FindingSchema.partial({ message: true, evidence: true }))
      .openapi({ description: 'A short response has only the codes, without unchecked findings.' }),
  })
  .openapi('ListedResult');

export const WouldRankSchema = z
  .object({
    rank: z.number().int().openapi({
      description: 'One more than the number of other systems on the board whose best ranked value is better.',
    }),
    of: z.number().int().openapi({ description: 'Systems on the board, including that of the result.' }),
    metric: z.string().openapi({ description: 'The default metric of the board of the workload.' }),
    statistic: z
      .string()
      .nullable()
      .openapi({ description: '`mean`, `p99` and so on; null if the metric has one value.' }),
    workload: z.string().openapi({ description: 'Id of the workload.' }),
  })
  .openapi('WouldRank', {
    description:
      'The rank that a provisional result would have on the board of its workload. Only `GET /v1/submissions/{id}` computes ' +
      'it, for the first 20 provisional results. Null for other results, and for copies and results that the board does not ' +
      'compare.',
  });

/** A result within its submission. */
export const SubmittedResultSchema = ResultSchema.extend({ would_rank: WouldRankSchema.nullable() }).openapi(
  'SubmittedResult',
);

export const OutlierSchema = z.object({
  value: z.number(),
  result_id: z.string().nullable(),
  tests: z.array(z.object({ test: z.string(), statistic: z.number(), critical: z.number() })),
});

export const StatisticsSchema = z
  .object({
    n: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Repetitions; null if the tool averaged and does not report the number.' }),
    mean: z.number(),
    sd: z.number().nullable(),
    median: z.number().nullable(),
    ci95: z.tuple([z.number(), z.number()]).nullable(),
    cv: z.number().nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    stability: z.enum(['tight', 'normal', 'noisy', 'unstable']).nullable(),
    basis: z.enum(['results', 'samples', 'pooled', 'tool_summary']),
    outliers: z.array(OutlierSchema),
  })
  .openapi('Statistics');
