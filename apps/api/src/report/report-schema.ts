import { z } from '@hono/zod-openapi';
import { loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import { SystemSchema } from '../schemas/subjects.ts';

const scenarioExample = {
  id: 'chatbot',
  title: 'Chatbot',
  input_tokens: 1024,
  output_tokens: 256,
  dataset: null,
  depth: null,
};

export const ReportScenarioSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    input_tokens: z.number().int().nullable(),
    output_tokens: z.number().int().nullable(),
    dataset: z.string().nullable(),
    depth: z.number().int().nullable().openapi({ description: 'Tokens already in the cache before the timed part.' }),
  })
  .openapi('ReportScenario', { example: scenarioExample });

const ReportLoadSchema = z.object({ mode: z.enum(loadModesOrUnspecified), level: z.number().nullable() });

export const figureExample = {
  metric: 'user_tok_s',
  value: 172.5,
  unit: 'tok/s',
  n: 1,
  ci95: null,
  definition: 'client',
  derived: false,
  scenario: scenarioExample,
  load: { mode: 'concurrency' as const, level: 1 },
  links: {
    results:
      'http://localhost:8787/v1/results?system=sys_3f1c5a0b9d8e7f6a5b4c3d2e&scenario=chatbot&load_mode=concurrency&load_level=1',
  },
};

export const FigureSchema = z
  .object({
    metric: z.string().openapi({ description: 'A metric of the catalogue, `max_safe_queue` or `roofline_share`.' }),
    value: z.number().openapi({ description: 'Mean over the repetitions.' }),
    unit: z.string().openapi({ description: 'Empty for ratios.' }),
    n: z.number().int().nullable().openapi({
      description: 'Repetitions; null if a tool averaged and does not report the number, and for a bound.',
    }),
    ci95: z
      .tuple([z.number(), z.number()])
      .nullable()
      .openapi({ description: 'Null for one repetition, and for figures computed from several others.' }),
    definition: z.string().nullable().openapi({
      description:
        'The formula, from the list of `GET /v1/catalogue/metrics`; `at_most` for a ceiling; for a safe queue, how it is bounded.',
    }),
    derived: z.boolean().openapi({ description: 'True if the service computed it from other figures.' }),
    scenario: ReportScenarioSchema,
    load: ReportLoadSchema,
    links: z.object({ results: z.string() }).openapi({ description: 'The results it was computed from.' }),
  })
  .openapi('Figure', { example: figureExample });

const SeriesSchema = z
  .object({
    scenario: ReportScenarioSchema,
    metric: z.string(),
    unit: z.string(),
    values: z
      .array(FigureSchema)
      .openapi({ description: 'By ascending level; levels that were not measured are absent.' }),
  })
  .openapi('ReportSeries');

const SafeQueueSchema = z
  .object({
    scenario: ReportScenarioSchema,
    unit: z.literal('requests'),
    ttft_limit_s: z.number(),
    statistic: z.literal('mean').openapi({ description: 'The TTFT that was compared with the limit.' }),
    answer: z.number().nullable().openapi({ description: 'Null if the smallest burst already exceeds the limit.' }),
    bound: z.enum(['estimate', 'at_least', 'below']).openapi({
      description:
        '`estimate`: interpolated linearly between two measured depths. `at_least`: all depths are within the limit. `below`: none is.',
    }),
    text: z.string().openapi({ example: '131' }),
    n: z.number().int().nullable().openapi({ description: 'Fewest repetitions of any depth.' }),
    definition: z.string().nullable(),
    depths: z.number().int().openapi({ description: 'Measured depths it was read from.' }),
    evened_out: z.boolean().openapi({
      description: 'Whether a burst with a shorter wait than a smaller one was counted with the longer wait.',
    }),
    between: z
      .tuple([FigureSchema, FigureSchema])
      .nullable()
      .openapi({ description: 'TTFT on either side, as measured.' }),
  })
  .openapi('SafeQueue');

const series = z.array(SeriesSchema);
const levels = z.array(z.number()).openapi({ description: 'Levels that any scenario was measured at.' });

const ThresholdSchema = z
  .object({
    id: z.string().openapi({ example: 'itl_fluid' }),
    value: z.number().openapi({ example: 20 }),
    unit: z.string().openapi({ description: 'Empty for ratios.', example: 'ms' }),
    text: z.string().openapi({ description: 'As printed in sentences.', example: '20 ms' }),
    reason: z.string(),
  })
  .openapi('ReportThreshold');

const evidenceExample = { ...figureExample, text: '172.5 tok/s' };

export const findingExample = {
  id: 'peak_decode_speed',
  section: 'headline' as const,
  severity: 'good' as const,
  sentence: 'A single user gets up to 172.5 tok/s (Chatbot, single request): excellent, at 100 tok/s or more.',
  evidence: [evidenceExample],
  thresholds: ['speed_excellent'],
  scenarios: [],
};

export const ReportFindingSchema = z
  .object({
    id: z.string(),
    section: z.enum(['headline', 'peak', 'burst', 'batch']),
    severity: z
      .enum(['good', 'info', 'notice', 'bad'])
      .openapi({ description: 'Rating by the thresholds; `info` has no rating.' }),
    sentence: z.string(),
    evidence: z.array(
      FigureSchema.extend({ text: z.string().openapi({ description: 'As printed in the sentence.' }) }).openapi({
        example: evidenceExample,
      }),
    ),
    thresholds: z
      .array(z.string())
      .openapi({ description: 'Ids of the thresholds used, explained under `thresholds` of the report.' }),
    scenarios: z
      .array(ReportScenarioSchema)
      .openapi({ description: 'Scenarios named without a figure, for example if something was not measured.' }),
  })
  .openapi('ReportFinding', { example: findingExample });

const figure = FigureSchema.nullable();

export const ReportSchema = z
  .object({
    system: SystemSchema,
    ttft_limit_s: z.number(),
    headline: z.object({
      peak_decode_speed: figure.openapi({ description: 'The highest speed for a single user.' }),
      max_decode_throughput: figure.openapi({
        description: "Sum of all users' decode speeds at the best point, excluding prefill and queueing.",
      }),
      max_output_throughput: figure.openapi({
        description: 'Output tokens per second of a full run at the best point, including prefill and queueing.',
      }),
      best_ttft: figure,
      max_safe_queue: SafeQueueSchema.nullable().openapi({ description: 'The deepest of any scenario.' }),
    }),
    peak: z
      .object({
        levels,
        user_tok_s: series,
        itl_ms: series,
        ttft_ms: series,
        scaling_efficiency: series,
        roofline_user_tok_s: series.openapi({
          description:
            'The upper limit for each user at each measured load, set by memory and arithmetic of the GPUs, by the rules that ' +
            'results are checked by. Empty: see `roofline_missing`.',
        }),
        roofline_missing: z
          .array(z.string())
          .openapi({ description: 'Facts that are missing in the catalogue or the system to compute a roofline.' }),
      })
      .nullable()
      .openapi({ description: 'Closed loop, 1 to 32 requests in flight. Null: see `unmeasured`.' }),
    burst: z
      .object({
        levels,
        ttft_ms: series,
        itl_ms: series,
        user_tok_s: series,
        max_safe_queue: z.array(SafeQueueSchema),
      })
      .nullable()
      .openapi({ description: '1 to 256 requests at once. Null: see `unmeasured`.' }),
    batch: z
      .object({ levels, decode_tok_s: series, output_tok_s: series, prefill_tok_s: series, scaling_efficiency: series })
      .nullable()
      .openapi({ description: 'Static offline batches. Null: see `unmeasured`.' }),
    unmeasured: z
      .array(z.object({ section: z.enum(['peak', 'burst', 'batch']), reason: z.string() }))
      .openapi({ description: 'Why a section is null.' }),
    ranges: z
      .array(
        z.object({
          metric: z.string(),
          unit: z.string(),
          load: ReportLoadSchema,
          scenarios: z.number().int().openapi({ description: 'Scenarios measured at this load.' }),
          low: FigureSchema,
          high: FigureSchema,
        }),
      )
      .openapi({ description: 'Lowest and highest value over the scenarios, by load.' }),
    findings: z.array(ReportFindingSchema),
    left_out: z
      .object({
        rate: z.number().int(),
        unspecified: z.number().int(),
        beyond_levels: z.number().int(),
        other_definition: z.number().int(),
      })
      .openapi({
        description:
          'Points that are in no section: open loops, unspecified loads, levels outside a section. `other_definition` ' +
          'counts values of the sections with another formula.',
      }),
    thresholds: z.array(ThresholdSchema).openapi({ description: 'All thresholds that findings use.' }),
    links: z.object({ self: z.string(), system: z.string(), page: z.string() }),
  })
  .openapi('Report');
