import { z } from '@hono/zod-openapi';
import { regimes } from '@inferboard/core/workloads/regime';

const choiceShape = {
  id: z.string(),
  chosen_because: z.enum(['asked', 'most_systems']).openapi({
    description: 'asked: the question names it. most_systems: no alternative has more systems under the filters.',
  }),
  reason: z.string().openapi({ description: 'The same in a sentence.' }),
  systems: z.number().int().openapi({ description: 'Number of systems under the filters that have it.' }),
  systems_at_most: z.boolean().openapi({
    description:
      'True where `systems`, here and of the others, were counted without the filters, because many points meet them.',
  }),
  others: z.array(z.object({ id: z.string(), systems: z.number().int(), url: z.string() })).openapi({
    description:
      'The alternatives under the same filters, at most 20 and of a short board at most 5, each with the address that asks for it.',
  }),
} as const;

/** One of these, or null. As `nullable` it would be a reference that null must meet too. */
export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

export const ChoiceSchema = z
  .object(choiceShape)
  .openapi('Choice', { description: 'What an answer holds to, and why.' });

export const WorkloadChoiceSchema = z
  .object({
    ...choiceShape,
    regime: z.enum(regimes).nullable().openapi({ description: 'Null of kernels and training runs.' }),
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
    description: 'The one account whose results are compared, where their systems leave a fact unspecified.',
  });

/** What a ranking says of points that it leaves out. */
export const excludedAtLeastSchema = z.boolean().openapi({
  description:
    'True where the search for points left out ended after 10,000 points: `excluded` has as many at least. `count=exact` counts them all.',
});

export const importedShape = {
  imported: z.number().int().openapi({
    description:
      'Rows of the whole board, not of this page alone, whose figures an operator imported from a publication: their `trust` is imported, and `full=true` shows their `source`.',
  }),
  imported_at_least: z.boolean().openapi({
    description:
      'True where the count ended after the first 1,000 rows: `imported` of them are imported, and more may follow. `count=exact` counts them all.',
  }),
};

export const excludedDescription =
  'Points left out, by reason: missing_metric, other_definition, unspecified_model, unspecified_gpu, ' +
  'unspecified_quantization, below_trust, provisional, simulated, not_repetitions, quarantined, retracted, unpriced_gpu (no price for it, where cost ranks). ' +
  'Points of other workloads are not counted.';
