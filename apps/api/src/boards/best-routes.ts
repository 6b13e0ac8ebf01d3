import { createRoute, z } from '@hono/zod-openapi';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { boundShape, countShape, definitionShape, filterShape } from '@inferboard/core/filters/parameters';
import { subjects } from '@inferboard/core/questions/index';
import { answerQuestion } from '../asking/answer-question.ts';
import {
  CapacitySchema,
  ComparisonSchema,
  FitSchema,
  InterpretationSchema,
  UnansweredSchema,
} from '../asking/questions-schema.ts';
import { isOfToday } from '../asking/read-question.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { PricesSchema, PriceText, pricesDescription, withPrices } from '../prices/prices-schema.ts';
import { costName, isPriceParameter } from '../prices/requested-prices.ts';
import { cached } from '../response-cache/cached.ts';
import { json, pageShape, readProblems } from '../schemas/common.ts';
import { formatShape, orText } from '../schemas/format.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { textOfAnswer } from '../short/answer-text.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import {
  AccountChoiceSchema,
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  importedShape,
  orNull,
  RankChoiceSchema,
  WorkloadChoiceSchema,
} from './choice-schema.ts';
import { unknownValueFaults } from './known-values.ts';
import { EntrySchema } from './leaderboard-schema.ts';

const BestSchema = z
  .object({
    q: z.string().nullable(),
    says: z.string().nullable().openapi({
      description: 'The answer in a sentence, for kinds other than rank and if there is no answer.',
    }),
    interpretation: InterpretationSchema,
    url: z.string().openapi({ description: 'The same question in parameters.' }),
    subject: z.enum(subjects),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    unit: z.string(),
    rank_by_choice: RankChoiceSchema.openapi({ description: 'Why this metric was chosen, and the alternatives.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null if nothing could be ranked.' }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is ranked; null if the metric has only one.',
    }),
    account: orNull(AccountChoiceSchema).openapi({
      description: 'Null if the systems name their model, GPU and quantization.',
    }),
    gpu_usd_per_hour: z
      .number()
      .nullable()
      .openapi({ description: 'The single price behind every cost in the answer, if the question names one.' }),
    prices: PricesSchema.optional().openapi({ description: pricesDescription }),
    data: z.array(EntrySchema.required({ usd_per_mtok_output: true })),
    unanswered: UnansweredSchema.optional().openapi({
      description: 'If `data` is empty: why there is no answer, and the closest answers.',
    }),
    comparison: ComparisonSchema.optional(),
    capacity: CapacitySchema.optional(),
    fit: FitSchema.optional(),
    excluded: z.record(z.string(), z.number().int()).openapi({ description: excludedDescription }),
    excluded_at_least: excludedAtLeastSchema,
    ...importedShape,
    next_cursor: z.null().openapi({ description: 'The answer is a single page; `limit` sets its length.' }),
    links: z.object({ self: z.string(), leaderboard: z.string(), page: z.string() }),
  })
  .openapi('Best');

/** Parameters that cannot be combined with `q`. */
const onlyStructured = ['subject', 'rank_by', 'order', 'limit'] as const;

const getBest = createRoute({
  method: 'get',
  path: '/v1/best',
  operationId: 'getBest',
  tags: ['Leaderboard'],
  summary: 'Find the best model, GPU, quantization, engine or system',
  description:
    'Answers a question in words or in parameters with the best entries under its constraints. Words are parsed with a fixed grammar over the metrics and the catalogue. Unknown words are rejected by name, never guessed. `interpretation` states what each phrase became, and `url` is the same question as parameters. If the question names no metric or workload, the one that most systems under the filters have is used: `rank_by_choice` and `workload` explain the choice and list the alternatives. ' +
    `${shortDescription} Its metrics are those that the question bounds. The ranked one is the value.`,
  request: {
    query: withPrices({
      q: z
        .string()
        .max(500, 'must have at most 500 characters')
        .optional()
        .openapi({ description: 'The question in words.', example: 'best model under 20ms ITL on H100' }),
      subject: z
        .enum(subjects, { error: `must be one of ${subjects.join(', ')}` })
        .optional()
        .openapi({ description: 'What each entry represents. Default: system.' }),
      rank_by: metricSchema('rank_by', [costName])
        .optional()
        .openapi({
          description: `A metric, or ${costName}: the cost of a million output tokens at the prices in \`prices\`.`,
          example: 'output_tok_s_per_gpu',
        }),
      order: z
        .enum(['asc', 'desc'], { error: 'must be asc or desc' })
        .optional()
        .openapi({ description: 'Which values come first. Default: the better ones.' }),
      gpu_usd_per_hour: PriceText.optional().openapi({
        type: 'number',
        exclusiveMinimum: 0,
        exclusiveMaximum: 1e6,
        description: 'One price for all GPUs, in US dollars per GPU-hour. Without it, each GPU has its own price.',
        example: 2.49,
      }),
      limit: pageShape.limit,
      ...fullShape,
      ...fieldsShape(BestSchema.shape.data.element, 'rank,value,system.model.name'),
      ...formatShape,
      ...definitionShape,
      ...countShape,
      ...filterShape,
      ...boundShape,
    }),
  },
  responses: {
    ...orText({ 200: json('The answer.', BestSchema) }),
    ...readProblems,
  },
});

export function bestRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getBest, ['results']),
    async (c) => {
      const {
        q,
        subject,
        rank_by: rankBy,
        order,
        limit,
        gpu_usd_per_hour: gpuUsdPerHour,
        definition,
        count,
        full,
        fields,
        format,
      } = c.req.valid('query');
      const {
        q: _,
        subject: __,
        rank_by: ___,
        order: ____,
        limit: _____,
        gpu_usd_per_hour: ______,
        definition: _______,
        count: ________,
        full: _________,
        fields: _fields,
        format: _format,
        ...beside
      } = c.req.queries();
      const filters = Object.fromEntries(Object.entries(beside).filter(([name]) => !isPriceParameter(name)));
      const prices = Object.fromEntries(Object.entries(beside).filter(([name]) => isPriceParameter(name)));
      const given: Record<string, unknown> = { subject, rank_by: rankBy, order, limit };
      const both = q === undefined ? [] : onlyStructured.filter((name) => given[name] !== undefined);
      if (both.length > 0) {
        const faults = both.map((parameter): Fault => {
          const message = `${parameter} is already part of the question in q.`;
          return { code: 'parameter_repeated', parameter, message, hint: 'Include it in the question, or omit q.' };
        });
        throw new DomainError('request_invalid', 'The question is given both in words and in parameters.', faults);
      }
      const today = new Date().toISOString().slice(0, 10);
      if (isOfToday(q, today)) c.set('isOfToday', true);
      const answer = await answerQuestion(
        deps,
        {
          ...{ q, subject, rankBy, order, limit, gpuUsdPerHour, definition, filters, prices },
          isFull: full === 'true' || fields !== undefined,
          countsAll: count === 'exact',
        },
        today,
      );
      return format === 'text' ? c.text(textOfAnswer(answer), 200) : c.json(answer, 200);
    },
    refuse(getBest, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
