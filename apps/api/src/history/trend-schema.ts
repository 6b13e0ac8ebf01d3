import { z } from '@hono/zod-openapi';
import { usedFacts } from '@inferboard/core/filters/fact-names';
import { dayBases } from '@inferboard/db/history/trend-days';
import { orNull } from '../boards/choice-schema.ts';
import { ListedLoadSchema, ListedSystemSchema, WorkloadSchema } from '../schemas/subjects.ts';
import { SourceSchema, TrustSchema } from '../submissions/actions/result-schema.ts';

/** Maximum number of series, those with the best figures, and of values of each: its bests and the newest others. */
export const [seriesMax, valuesMax] = [20, 400];

const others = z.array(z.object({ id: z.string(), days: z.number().int(), url: z.string() }));

const ValueSchema = z.object({
  day: z.string().openapi({ description: 'In UTC.', example: '2026-03-05' }),
  day_is: z.enum(dayBases).openapi({
    description:
      '`measured`: the tool states it. `published`: the source of an imported figure states it. `stored`: no date is stated; this is when the result was stored.',
  }),
  value: z.number().openapi({ description: 'The best point of the day: the mean of its results of that day.' }),
  n: z
    .number()
    .int()
    .nullable()
    .openapi({ description: 'Repetitions; null if the tool averaged its runs and does not state the number.' }),
  ci95: z.tuple([z.number(), z.number()]).nullable(),
  is_best: z.boolean().openapi({ description: 'Better than every earlier day of its series.' }),
  system: ListedSystemSchema,
  load: ListedLoadSchema,
  trust: TrustSchema,
  source: orNull(SourceSchema).openapi({ description: 'Where an imported figure was published.' }),
  links: z.object({ system: z.string(), page: z.string().openapi({ description: 'The result that has it.' }) }),
});

export const TrendSchema = z
  .object({
    metric: z.string(),
    unit: z.string(),
    better: z.enum(['lower', 'higher']),
    by: z.enum(usedFacts),
    workload: orNull(
      WorkloadSchema.extend({
        chosen_because: z.enum(['asked', 'most_days']).openapi({
          description:
            'asked: the request names it. most_days: it has the series with the most days under the filters.',
        }),
        others: others.openapi({ description: 'The other workloads under the same filters, at most 20.' }),
      }),
    ).openapi({ description: 'The one workload of all values; null if there are none.' }),
    definition: orNull(z.object({ id: z.string(), others })).openapi({
      description: 'The group of formulas of all values; null if the metric has only one.',
    }),
    days: z.number().int().openapi({ description: 'Number of distinct measurement days.' }),
    series: z
      .number()
      .int()
      .openapi({ description: `Series under the filters; \`data\` has the ${seriesMax} with the best figures.` }),
    data: z.array(
      z.object({
        id: z.string().openapi({ description: 'Catalogue id, or the name if it is not in the catalogue.' }),
        title: z.string(),
        best: z.number(),
        values: z.array(ValueSchema).openapi({
          description: `By day. If there are more than ${valuesMax}: the best so far, and the newest of the others.`,
        }),
      }),
    ),
    excluded: z.record(z.string(), z.number().int()).openapi({
      description:
        'Omitted points of the workload, or of all workloads if there are no values, by reason: undated (imported figures whose source states no date), unspecified_model, unspecified_gpu, unspecified_quantization.',
    }),
  })
  .openapi('Trend');
