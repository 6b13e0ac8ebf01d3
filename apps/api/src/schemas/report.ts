import { z } from '@hono/zod-openapi';
import { loadModesOrUnspecified } from '@inferboard/core/load';
import { SystemSchema } from './result.ts';

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
      description: 'Repetitions; null where a tool averaged and does not say over how many, and for a bound.',
    }),
    ci95: z
      .tuple([z.number(), z.number()])
      .nullable()
      .openapi({ description: 'Null for one repetition, and for figures computed from several others.' }),
    definition: z.string().nullable().openapi({
      description:
        'The formula behind it, as `GET /v1/catalogue/metrics` lists them; for a ceiling `at_most`, for a safe queue how it is bound.',
    }),
    derived: z.boolean().openapi({ description: 'True where the service computed it from other figures.' }),
    scenario: ReportScenarioSchema,
    load: ReportLoadSchema,
    links: z.object({ results: z.string() }).openapi({ description: 'The results it was made from.' }),
  })
  .openapi('Figure', { example: figureExample });

const SeriesSchema = z
  .object({
    scenario: ReportScenarioSchema,
    metric: z.string(),
    unit: z.string(),
    values: z
      .array(FigureSchema)
      .openapi({ description: 'By rising level; levels that were not measured are absent.' }),
  })
  .openapi('ReportSeries');

const SafeQueueSchema = z
  .object({
    scenario: ReportScenarioSchema,
    unit: z.literal('requests'),
    ttft_limit_s: z.number(),
    statistic: z.literal('mean').openapi({ description: 'The TTFT that was held against the limit.' }),
    answer: z.number().nullable().openapi({ description: 'Null where the smallest burst is over the limit already.' }),
    bound: z.enum(['estimate', 'at_least', 'below']).openapi({
      description:
        '`estimate`: on a straight line between two measured depths. `at_least`: all depths are within the limit. `below`: none is.',
    }),
    text: z.string().openapi({ example: '131' }),
    n: z.number().int().nullable().openapi({ description: 'Fewest repetitions behind any of the depths.' }),
    definition: z.string().nullable(),
    depths: z.number().int().openapi({ description: 'Measured depths it was read from.' }),
    evened_out: z.boolean().openapi({
      description: 'Whether a burst that waited less than a smaller one was counted as waiting as long.',
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
    text: z.string().openapi({ description: 'As sentences print it.', example: '20 ms' }),
    reason: z.string(),
  })
  .openapi('ReportThreshold');

export const findingExample = {
  id: 'peak_decode_speed',
  section: 'headline' as const,
  severity: 'good' as const,
  sentence:
    'A user alone on the system gets up to 172.5 tok/s (Chatbot, single request): excellent, at 100 tok/s or more.',
  evidence: [{ ...figureExample, text: '172.5 tok/s' }],
  thresholds: ['speed_excellent'],
  scenarios: [],
};

export const ReportFindingSchema = z
  .object({
    id: z.string(),
    section: z.enum(['headline', 'peak', 'burst', 'batch']),
    severity: z
      .enum(['good', 'info', 'notice', 'bad'])
      .openapi({ description: 'What the thresholds make of it; `info` states figures and judges nothing.' }),
    sentence: z.string(),
    evidence: z.array(FigureSchema.extend({ text: z.string().openapi({ description: 'As the sentence prints it.' }) })),
    thresholds: z
      .array(z.string())
      .openapi({ description: 'Ids of the thresholds it judges by, explained under `thresholds` of the report.' }),
    scenarios: z
      .array(ReportScenarioSchema)
      .openapi({ description: 'Scenarios named without a figure, as where something was not measured.' }),
  })
  .openapi('ReportFinding', { example: findingExample });

const figure = FigureSchema.nullable();

export const ReportSchema = z
  .object({
    system: SystemSchema,
    ttft_limit_s: z.number(),
    headline: z.object({
      peak_decode_speed: figure.openapi({ description: 'The fastest that a user alone on the system was served.' }),
      max_decode_throughput: figure.openapi({
        description: "All users' decode speeds together, at the best point; prefill and queueing are not in it.",
      }),
      max_output_throughput: figure.openapi({
        description: 'Output tokens per second of a whole run, at the best point; prefill and queueing are in it.',
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
            'The most that memory and arithmetic of the GPUs allow each user at each load measured, by the rules that ' +
            'results are checked by. Empty: see `roofline_missing`.',
        }),
        roofline_missing: z
          .array(z.string())
          .openapi({ description: 'What the catalogue or the system lacks to tell a roofline.' }),
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
          'Points that no section shows: open loops, loads that were not stated, levels beyond a section. `other_definition` ' +
          'counts values of the sections that another formula made.',
      }),
    thresholds: z.array(ThresholdSchema).openapi({ description: 'Every limit a finding may judge by.' }),
    links: z.object({ self: z.string(), system: z.string(), page: z.string() }),
  })
  .openapi('Report');
