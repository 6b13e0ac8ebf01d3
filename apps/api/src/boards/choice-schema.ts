import { z } from '@hono/zod-openapi';
import { regimes } from '@inferboard/core/workloads/regime';

const choiceShape = {
  id: z.string(),
  chosen_because: z.enum(['asked', 'most_systems', 'default_metric', 'most_cells', 'comparable']).openapi({
    description:
      'asked: the request names it. most_systems: no alternative has more systems under the filters; a metric is the first default one that at least 60 % of the systems have. default_metric (only of /v1/best): the workload with the most systems has no default metric; this one has the most systems with the first default metric that any has. most_cells (only of /v1/matrix): of the workloads under the filters, its matrix has the most cells with another cell in their row and in their column. comparable: the sides of a comparison have their most comparable results in this workload; or, of /v1/best, it is the first workload in which several entries have results.',
  }),
  reason: z.string().openapi({ description: 'The same in a sentence.' }),
  systems: z.number().int().openapi({ description: 'Number of systems that have it under the filters.' }),
  systems_at_most: z.boolean().openapi({
    description:
      'True if `systems`, here and in the alternatives, was counted without the filters because too many points meet them.',
  }),
  others: z.array(z.object({ id: z.string(), systems: z.number().int(), url: z.string() })).openapi({
    description: 'The alternatives under the same filters, at most 20 (5 in a short response), each with its URL.',
  }),
} as const;

/** One of these, or null. With `nullable`, null would have to match the reference too. */
export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

export const ChoiceSchema = z
  .object(choiceShape)
  .openapi('Choice', { description: 'What was chosen for the answer, and why.' });

export const RankChoiceSchema = z
  .object({
    ...choiceShape,
    systems: z.number().int().nullable().openapi({
      description: 'Number of systems that have it under the filters; null if the request names it.',
    }),
  })
  .openapi('RankChoice', { description: 'The metric that was chosen for the answer, and why.' });

export const WorkloadChoiceSchema = z
  .object({
    ...choiceShape,
    regime: z.enum(regimes).nullable().openapi({ description: 'Null for kernels and training runs.' }),
    input_tokens: z.number().nullable(),
    output_tokens: z.number().nullable(),
    dataset: z.string().nullable(),
    depth: z.number().nullable(),
  })
  .openapi('WorkloadChoice', {
    description: 'The one workload that is ranked: results of different workloads are never ranked together.',
  });

export const AccountChoiceSchema = z
  .object({ id: z.string(), name: z.string(), reason: z.string() })
  .openapi('AccountChoice', {
    description: 'The account whose results are compared, if their systems leave a fact unspecified.',
  });

/** Whether the count of excluded points is a lower bound. */
export const excludedAtLeastSchema = z.boolean().openapi({
  description:
    'True if the search for omitted points stopped after 10,000 points: the numbers in `excluded` are minimums. `count=exact` counts them all.',
});

export const importedShape = {
  imported: z.number().int().openapi({
    description:
      'Rows of the whole board, not only of this page, whose figures an operator imported from a publication: their `trust` is imported, and `full=true` shows their `source`.',
  }),
  imported_at_least: z.boolean().openapi({
    description:
      'True if the count stopped after the first 1,000 rows: `imported` of them are imported, and there may be more. `count=exact` counts them all.',
  }),
};

export const excludedDescription =
  'Omitted points by reason: missing_metric, other_definition, unspecified_model, unspecified_gpu, ' +
  'unspecified_quantization, below_trust, provisional, simulated, not_repetitions, quarantined, retracted, unpriced_gpu (no price for it, if ranked by cost). ' +
  'Points of other workloads are not counted.';
