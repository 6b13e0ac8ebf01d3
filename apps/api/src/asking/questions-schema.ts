import { z } from '@hono/zod-openapi';
import { questionKinds, subjects } from '@inferboard/core/questions/index';
import { EntrySchema } from '../boards/leaderboard-schema.ts';

const filterValue = z.union([z.string(), z.number()]);

export const InterpretationSchema = z
  .object({
    kind: z.enum(questionKinds).openapi({
      description:
        'rank: the best of a kind. lookup: one figure. compare: two or more side by side. fit: what fits in memory. capacity: how many users.',
    }),
    subject: z.enum(subjects),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    alternatives: z
      .array(z.object({ id: z.string(), systems: z.number().int(), url: z.string() }))
      .openapi({ description: 'Other metrics that systems under the filters have, if the question names none.' }),
    filters: z.record(z.string(), z.union([filterValue, z.array(filterValue)])).openapi({
      description: 'Filters by parameter name. Parameters that can be repeated have a list.',
    }),
    limit: z.number().int(),
    phrases: z.array(z.object({ text: z.string(), became: z.string(), note: z.string().nullable() })).openapi({
      description: 'Each phrase of the question with its parameter. `note` explains how, such as a corrected word.',
    }),
    ignored: z
      .array(z.string())
      .openapi({ description: 'Words that were ignored because no result states such a fact.' }),
  })
  .openapi('Interpretation', { description: 'How the question was interpreted.' });

const NearestSchema = z
  .object({
    without: z.array(z.string()).openapi({ description: 'Omitted parameters of the question.' }),
    left_out: z.string().openapi({ description: 'The same in words.', example: 'at concurrency 64' }),
    q: z.string().nullable().openapi({ description: 'The question in words; null if words cannot express it.' }),
    rank_by: z.string(),
    order: z.enum(['asc', 'desc']),
    unit: z.string(),
    workload: z.string().nullable(),
    url: z.string(),
    page: z.string(),
    best: EntrySchema.required({ usd_per_mtok_output: true }),
  })
  .openapi('NearestQuestion', {
    description: 'A question with fewer filters that has an answer, with its best entry.',
  });

export const UnansweredSchema = z
  .object({
    missing: z
      .array(z.object({ parameters: z.array(z.string()), message: z.string() }))
      .openapi({ description: 'The smallest part of the question that no result meets.' }),
    nearest: z.array(NearestSchema).openapi({
      description: 'The closest questions with answers, with as few omitted parts as possible. At most three.',
    }),
  })
  .openapi('Unanswered');

const SideSchema = z
  .object({
    name: z.string(),
    filters: z.record(z.string(), z.union([filterValue, z.array(filterValue)])),
    url: z.string(),
    rank_by: z.string(),
    unit: z.string(),
    best: EntrySchema.required({ usd_per_mtok_output: true }).nullable(),
    ratio: z.number().nullable().openapi({
      description:
        'Its value divided by that of the first compared side. Null if the side is not compared, or if the loads of the sides differ, in total and, for metrics of each GPU, for each GPU. Rates and efficiencies in the closed division of MLPerf have a ratio at any load.',
    }),
  })
  .openapi('ComparedSide');

export const ComparisonSchema = z
  .object({
    is_alike: z.boolean().openapi({
      description:
        'Whether the compared sides have a value of the same metric for the same workload, model and GPU, apart from what they name.',
    }),
    held: z.record(z.string(), z.array(filterValue)).nullable().openapi({
      description: 'The facts that the compared sides have in common, as filters. Null if the sides are not alike.',
    }),
    sides: z.array(SideSchema),
    page: z.string().nullable().openapi({
      description: 'The page that compares the systems. Null if they were measured at no common load.',
    }),
  })
  .openapi('QuestionComparison', { description: 'For a question such as "h100 vs mi300x".' });

export const CapacitySchema = z
  .object({
    load_level: z.number().openapi({
      description: 'The highest number of concurrent requests at which a stored result meets the question.',
    }),
    measured_to: z
      .number()
      .nullable()
      .openapi({ description: 'The highest number that was measured, without the bounds.' }),
  })
  .openapi('QuestionCapacity', { description: 'For a question such as "how many users under 2 s ttft".' });

const orNone = z.number().nullable();

export const FitSchema = z
  .object({
    how: z.string().openapi({ description: 'How the sizes are computed.' }),
    memory_gb: orNone,
    usable_gb: orNone.openapi({ description: 'The part of the memory that is usable.' }),
    gpu: z.string().nullable(),
    gpu_count: z.number().int(),
    count: z.number().int().openapi({ description: 'Total number of rows.' }),
    rows: z.array(
      z.object({
        model: z.string(),
        model_name: z.string(),
        quantization: z.string(),
        quantization_name: z.string(),
        weights_gb: z.number(),
        cache_gb: orNone,
        context_tokens: z.number().int().openapi({ description: 'Tokens of each request.' }),
        requests: z.number().openapi({
          description: 'Requests at once whose caches the size includes: the load of the question, otherwise 1.',
        }),
        allowance_gb: z.number(),
        total_gb: z.number(),
        fits: z.boolean().nullable(),
        gpus_needed: z.number().int().nullable(),
        arithmetic: z.string(),
      }),
    ),
  })
  .openapi('QuestionFit', { description: 'For a question such as "what runs on 2x 3090". Computed, not measured.' });
