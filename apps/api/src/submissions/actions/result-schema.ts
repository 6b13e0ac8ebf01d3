import { z } from '@hono/zod-openapi';
import { origins, resultStatuses, submissionStatuses, trustLevels } from '@inferboard/core/subjects/result';
import { orNull } from '../../boards/choice-schema.ts';
import { MetricValuesSchema } from '../../schemas/common.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  LoadSchema,
  MeasuredLengthsSchema,
  ScenarioSchema,
  SystemSchema,
  WorkloadSchema,
} from '../../schemas/subjects.ts';

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

const RecordedSchema = z
  .object({
    seed: z.number().int().nullable().openapi({ description: 'Seed of the prompts.' }),
    salt: z.string().nullable().openapi({ description: 'Salt of the prompts.' }),
    bodies_sha256: z.string().nullable().openapi({ description: 'SHA-256 of all request bodies, one per line.' }),
    requests_retried: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Requests that were sent twice, because the server had closed the connection.' }),
    observed_samples: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Readings of the server in the artifact; `/v1/submissions/{id}/timeline` shows them.' }),
    detected: z.record(z.string(), z.union([z.string(), z.number()])).openapi({
      description:
        'What the generator read from the server and its machine, such as `model_revision` and `gpu_driver`.',
    }),
  })
  .openapi('Recorded', {
    description: 'What the load generator recorded about its measurement, in addition to figures.',
  });

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
    recorded: RecordedSchema.nullable(),
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
