import { z } from '@hono/zod-openapi';
import { loadModes } from '@inferboard/core/load';
import { datasetIds } from '@inferboard/core/plans/datasets';
import { namedPlans } from '@inferboard/core/plans/named-plans';
import { itemsMax, repetitionsMax } from '@inferboard/core/plans/plan-schema';
import { seedMax } from '@inferboard/core/plans/point';
import { runStates } from '@inferboard/core/plans/run-state';
import { omissions } from '@inferboard/core/plans/scale';
import { NameSchema } from '@inferboard/core/text';
import { LoadSchema, ScenarioSchema } from './result.ts';

// What a caller writes, for the document alone: `readPlan` of core reads it and says what is wrong with it.

const whole = (least: number, most: number) => z.int().min(least).max(most);
const requests = whole(1, 1_000_000).optional();
const warmup = whole(0, 1_000_000).optional().describe('Requests before the measured ones, which are not.');

const scenario = z
  .union([
    NameSchema.describe('A scenario of the catalogue.'),
    z.strictObject({
      name: NameSchema.optional(),
      input_tokens: whole(1, 10_000_000).optional(),
      output_tokens: whole(1, 10_000_000).optional(),
      dataset: NameSchema.optional().describe(`A data set: ${datasetIds.join(', ')}.`),
    }),
  ])
  .describe('The workload.');

const items = z.union([
  z.strictObject({
    scenario,
    load: z.strictObject({ mode: z.enum(['concurrency', 'burst', 'batch']), level: whole(1, 10_000) }),
    requests: requests.describe(
      'Of a closed loop, as many as it has users at least; bursts and batches have their level.',
    ),
    warmup,
  }),
  z.strictObject({
    scenario,
    load: z.strictObject({
      mode: z.literal('rate'),
      level: z.number().positive().max(10_000).describe('Requests per second.'),
      burstiness: z.number().min(0.01).max(1_000_000).optional().describe('Shape of the arrivals: 1 is Poisson.'),
      max_concurrency: whole(1, 10_000).optional().describe('Requests in flight at most.'),
    }),
    requests,
    warmup,
  }),
]);

/** What a run measures, as a caller writes it. */
export const planShape = {
  plan: z
    .union([z.enum(namedPlans.map(({ id }) => id)), z.array(items).min(1).max(itemsMax)])
    .describe('A plan by name, or a list of workloads, each under a load.'),
  repetitions: whole(1, repetitionsMax).nullish().describe('Of every point. Named plans have 3, lists 1.'),
  warmup: whole(0, 1_000_000).nullish().describe('Requests before each point that are not measured.'),
  seed: whole(0, seedMax).nullish().describe('What prompts and arrivals are drawn from; left away, one is drawn.'),
  limits: z
    .strictObject({
      duration_s: z.number().positive().max(2_592_000).nullish().describe('Seconds of sending.'),
      requests: whole(1, 100_000_000).nullish().describe('Requests, those of the warm-up too.'),
      tokens: whole(1, Number.MAX_SAFE_INTEGER).nullish().describe('Tokens asked for, in and out.'),
      concurrency: whole(1, 10_000).nullish().describe('Requests in flight.'),
    })
    .nullish()
    .describe('What the whole run may spend; points that do not fit have fewer requests, or are left out.'),
};

export const endpointIdSchema = z
  .string()
  .regex(/^ep_[0-9a-f]{32}$/)
  .describe('The endpoint to measure.');

export const runBodyDocument = z.toJSONSchema(z.strictObject({ endpoint_id: endpointIdSchema, ...planShape }), {
  io: 'input',
}) as object;

export const runExamples = {
  named: { endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f', plan: 'inference-report', limits: { concurrency: 8 } },
  listed: {
    endpoint_id: 'ep_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
    plan: [
      { scenario: 'chatbot', load: { mode: 'concurrency', level: 2 } },
      { scenario: { input_tokens: 2000, output_tokens: 100 }, load: { mode: 'rate', level: 2 }, requests: 20 },
    ],
    seed: 42,
  },
};

const count = () => z.number().int();

const PlanItemSchema = z
  .object({
    scenario: z.union([
      z.string(),
      z.object({
        name: z.string().optional(),
        input_tokens: count().optional(),
        output_tokens: count().optional(),
        dataset: z.string().optional(),
      }),
    ]),
    load: z.object({
      mode: z.enum(loadModes),
      level: z.number(),
      burstiness: z.number().optional(),
      max_concurrency: count().optional(),
    }),
    requests: count().optional(),
    warmup: count().optional(),
  })
  .openapi('PlanItem');

/** A plan as it was asked for. */
export const askedPlanSchema = z
  .union([z.string(), z.array(PlanItemSchema)])
  .openapi({ description: 'As it was asked for: a name, or a list.' });

export const PlanRequestSchema = z
  .object({
    repetitions: count().nullable(),
    warmup: count().nullable(),
    seed: count().nullable().openapi({ description: 'Of a schedule null where each run draws one.' }),
    limits: z.object({
      duration_s: z.number().nullable(),
      requests: count().nullable(),
      tokens: count().nullable(),
      concurrency: count().nullable(),
    }),
  })
  .openapi('PlanRequest', { description: 'As it was asked for; null where nothing was said.' });

export const RunProgressSchema = z
  .object({
    points_done: count(),
    points_total: count(),
    requests_done: count(),
    requests_total: count(),
    eta_s: count()
      .nullable()
      .openapi({ description: 'Seconds to its end at the pace so far; null where it is not being measured.' }),
  })
  .openapi('RunProgress');

const FailureSchema = z.object({ code: z.string(), message: z.string() }).openapi('RunFailure');

const summaryShape = {
  id: z.string(),
  state: z.enum(runStates),
  endpoint: z.object({
    id: z.string(),
    name: z.string().nullable().openapi({ description: 'As its account calls it; null where everybody may read.' }),
    model: z.string(),
  }),
  progress: RunProgressSchema,
  failure: FailureSchema.nullable(),
  cancel_requested_at: z.string().nullable(),
  attempt: count().openapi({ description: 'How often a worker took it up.' }),
  schedule_id: z.string().nullable(),
  submissions: z
    .array(z.object({ id: z.string(), links: z.object({ self: z.string(), page: z.string() }) }))
    .openapi({ description: 'What its results were stored as.' }),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  links: z.object({ self: z.string(), page: z.string(), events: z.string(), endpoint: z.string() }),
};

export const RunSummarySchema = z
  .object({
    ...summaryShape,
    plan: z.string().nullable().openapi({ description: 'Name of the plan; null of a list, which the run itself has.' }),
  })
  .openapi('RunSummary');

const RunPointSchema = z
  .object({
    key: z.string().openapi({ description: 'The same for the same workload, load and repetition in every run.' }),
    scenario: ScenarioSchema,
    load: LoadSchema,
    repetition: count(),
    requests: count().openapi({ description: 'Requests that are measured.' }),
    measured_at: z.string().nullable(),
    summary: z.record(z.string(), z.unknown()).nullable().openapi({ description: 'Its figures; null before.' }),
  })
  .openapi('RunPoint');

export const RunSchema = z
  .object({
    ...summaryShape,
    plan: askedPlanSchema,
    request: PlanRequestSchema,
    omitted: z
      .array(z.object({ key: z.string(), reason: z.enum(omissions) }))
      .openapi({ description: 'Points of the plan that the limits left no room for.' }),
    points: z.array(RunPointSchema).openapi({ description: 'In the order of measuring.' }),
  })
  .openapi('Run');
