import { z } from '@hono/zod-openapi';
import { loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import { regimes } from '@inferboard/core/workloads/regime';

const ref = z.object({ id: z.string().nullable(), name: z.string() });

export const SystemSchema = z
  .object({
    id: z.string(),
    label: z.string(),
    model: ref.extend({ family: z.string().nullable(), title: z.string() }),
    quantization: ref.extend({ recipe: z.array(z.string()), title: z.string() }),
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
    quantization: SystemSchema.shape.quantization.partial({ recipe: true, title: true }),
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
        shape: z
          .array(z.number())
          .nullable()
          .openapi({ description: 'Of the block mask if its `sparsity` is stated, else of the tensors.' }),
        sparsity: z.number().nullable().openapi({ description: 'Skipped share of the block mask, 0 to 1.' }),
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
