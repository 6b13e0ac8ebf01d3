import { createRoute, z } from '@hono/zod-openapi';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { boundShape, countShape, definitionShape, filterShape } from '@inferboard/core/filters/parameters';
import { subjects } from '@inferboard/core/questions/index';
import { answerQuestion } from '../actions/explain-nothing.ts';
import { kept } from '../answer-cache/keep.ts';
import { costName, isPriceParameter } from '../asked-prices.ts';
import type { Deps } from '../deps.ts';
import { unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import {
  AccountChoiceSchema,
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  importedShape,
  orNull,
  WorkloadChoiceSchema,
} from '../schemas/choice.ts';
import { pageShape, readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { EntrySchema } from '../schemas/leaderboard.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { PricesSchema, PriceText, pricesDescription, withPrices } from '../schemas/prices.ts';

const filterValue = z.union([z.string(), z.number()]);

const InterpretationSchema = z
  .object({
    subject: z.enum(subjects),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    alternatives: z
      .array(z.object({ id: z.string(), systems: z.number().int(), url: z.string() }))
      .openapi({ description: 'Other metrics that systems under the filters have, where the question names none.' }),
    filters: z.record(z.string(), z.union([filterValue, z.array(filterValue)])).openapi({
      description: 'By the name of their parameter; those that may be given several times hold a list.',
    }),
    limit: z.number().int(),
    phrases: z
      .array(z.object({ text: z.string(), became: z.string() }))
      .openapi({ description: 'Each phrase of the question and the parameter it became.' }),
  })
  .openapi('Interpretation', { description: 'What was understood, whichever way it was asked.' });

const NearestSchema = z
  .object({
    without: z.array(z.string()).openapi({ description: 'Parameters of the question that are left out.' }),
    left_out: z.string().openapi({ description: 'The same in words.', example: 'at concurrency 64' }),
    q: z.string().nullable().openapi({ description: 'The question in words; null where words cannot say it.' }),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    unit: z.string(),
    workload: z.string().nullable(),
    url: z.string(),
    page: z.string(),
    best: EntrySchema.required({ usd_per_mtok_output: true }),
  })
  .openapi('NearestQuestion', { description: 'A question with fewer filters that has an answer, and the best of it.' });

const UnansweredSchema = z
  .object({
    missing: z
      .array(z.object({ parameters: z.array(z.string()), message: z.string() }))
      .openapi({ description: 'What no result has: the fewest parts of the question that nothing meets.' }),
    nearest: z.array(NearestSchema).openapi({
      description: 'The closest questions that have answers, with as few parts left out as possible, three at most.',
    }),
  })
  .openapi('Unanswered');

const BestSchema = z
  .object({
    q: z.string().nullable(),
    interpretation: InterpretationSchema,
    url: z.string().openapi({ description: 'The same question in parameters.' }),
    subject: z.enum(subjects),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    unit: z.string(),
    rank_by_choice: ChoiceSchema.openapi({ description: 'Why it is ranked by this metric, and the alternatives.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null where nothing could be ranked.' }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is ranked; null where the metric has only one.',
    }),
    account: orNull(AccountChoiceSchema).openapi({
      description: 'Null where the systems name their model, GPU and quantization.',
    }),
    gpu_usd_per_hour: z
      .number()
      .nullable()
      .openapi({ description: 'The one price behind every cost in the answer, where the question names one.' }),
    prices: PricesSchema.optional().openapi({ description: pricesDescription }),
    data: z.array(EntrySchema.required({ usd_per_mtok_output: true })),
    unanswered: UnansweredSchema.optional().openapi({
      description: 'Why nothing answers, and what comes closest; where `data` is empty.',
    }),
    excluded: z.record(z.string(), z.number().int()).openapi({ description: excludedDescription }),
    excluded_at_least: excludedAtLeastSchema,
    ...importedShape,
    next_cursor: z.null().openapi({ description: 'The answer is one page: `limit` says how long.' }),
    links: z.object({ self: z.string(), leaderboard: z.string(), page: z.string() }),
  })
  .openapi('Best');

/** What only one of the two ways of asking may say. */
const onlyStructured = ['subject', 'rank_by', 'order', 'limit'] as const;

const getBest = createRoute({
  method: 'get',
  path: '/v1/best',
  operationId: 'getBest',
  tags: ['Leaderboard'],
  summary: 'The best model, GPU, quantization, engine or system under constraints, asked in words or in parameters',
  description:
    'The words are read by a fixed grammar over the metrics and the catalogue. What it cannot place is refused by name, never guessed; `interpretation` says what every phrase became and `url` asks the same in parameters. Where the question names no metric or workload, the answer is by what most of the systems under the filters have: `rank_by_choice` and `workload` say so with the alternatives. ' +
    `${shortDescription} Of the metrics it has those that the question bounds, beside the ranked one, which is the value.`,
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
        .openapi({ description: 'What has one entry each; system by default.' }),
      rank_by: metricSchema('rank_by', [costName])
        .optional()
        .openapi({
          description: `A metric, or ${costName}: what a million output tokens cost at the prices of \`prices\`.`,
          example: 'output_tok_s_per_gpu',
        }),
      order: z
        .enum(['asc', 'desc'], { error: 'must be asc or desc' })
        .optional()
        .openapi({ description: 'Which values come first; the better ones by default.' }),
      gpu_usd_per_hour: PriceText.optional().openapi({
        type: 'number',
        exclusiveMinimum: 0,
        exclusiveMaximum: 1e6,
        description: 'One price for all GPUs: dollars for one GPU and hour. Without it each has its own.',
        example: 2.49,
      }),
      limit: pageShape.limit,
      ...fullShape,
      ...definitionShape,
      ...countShape,
      ...filterShape,
      ...boundShape,
    }),
  },
  responses: {
    200: { description: 'The answer.', content: { 'application/json': { schema: BestSchema } } },
    ...readProblems,
  },
});

export function bestRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, getBest, ['results']),
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
        ...beside
      } = c.req.queries();
      const filters = Object.fromEntries(Object.entries(beside).filter(([name]) => !isPriceParameter(name)));
      const prices = Object.fromEntries(Object.entries(beside).filter(([name]) => isPriceParameter(name)));
      const given: Record<string, unknown> = { subject, rank_by: rankBy, order, limit };
      const both = q === undefined ? [] : onlyStructured.filter((name) => given[name] !== undefined);
      if (both.length > 0) {
        const faults = both.map((parameter): Fault => {
          const message = `${parameter} is what the question in q says.`;
          return { code: 'parameter_repeated', parameter, message, hint: 'Put it into the words, or leave q away.' };
        });
        throw new DomainError('request_invalid', 'The question is asked in words and in parameters.', faults);
      }
      return c.json(
        await answerQuestion(deps, {
          ...{ q, subject, rankBy, order, limit, gpuUsdPerHour, definition, filters, prices },
          isFull: full === 'true',
          countsAll: count === 'exact',
        }),
        200,
      );
    },
    refuse(getBest, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
