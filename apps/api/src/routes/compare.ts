import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { compareSystems } from '../actions/compare-systems.ts';
import { kept } from '../answer-cache/keep.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import {
  KindSchema,
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
} from '../schemas/result.ts';

const [fewest, most] = [2, 6];

const FigureSchema = z
  .object({
    value: z.number(),
    n: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Null where a tool averaged and did not tell over how many.' }),
    sd: z.number().nullable().optional(),
    ci95: z.tuple([z.number(), z.number()]).nullable().optional(),
    definition: z.string().nullable().optional(),
    compared: z
      .object({
        ratio: z.number().nullable().openapi({ description: 'Value over that of the first system.' }),
        interval: z.tuple([z.number(), z.number()]).nullable().openapi({ description: '95 % interval of the ratio.' }),
        significant: z.boolean().nullable().openapi({ description: 'Whether the interval leaves out 1.' }),
        better: z.boolean().nullable(),
        reason: z.string().nullable().openapi({ description: 'Why there is no ratio, or no interval.' }),
      })
      .partial()
      .nullable()
      .optional()
      .openapi({ description: 'Null for the first system, and where the first has no figure.' }),
  })
  .openapi('ComparedFigure');

const ComparisonSchema = z
  .object({
    systems: z.array(ListedSystemSchema),
    differences: z.array(
      z.object({ field: z.string(), values: z.array(z.union([z.string(), z.number(), z.boolean()]).nullable()) }),
    ),
    points: z.array(
      z.object({
        kind: KindSchema,
        scenario: ListedScenarioSchema,
        workload: ListedWorkloadSchema,
        load: ListedLoadSchema,
        metrics: z.array(
          z.object({
            metric: z.string(),
            unit: z.string(),
            better: z.enum(['lower', 'higher', 'neutral']),
            figures: z
              .array(FigureSchema.nullable())
              .openapi({ description: 'In the order of the systems; null where one was not measured so.' }),
          }),
        ),
      }),
    ),
    excluded: z.record(z.string(), z.number().int()),
  })
  .openapi('Comparison');

const compareRoute = createRoute({
  method: 'get',
  path: '/v1/compare',
  operationId: 'compareSystems',
  tags: ['Systems'],
  summary: 'Systems side by side',
  description:
    'What differs between them first; then, for every scenario and load that at least two were measured at, each figure with its ratio to the first system, the interval of that ratio, and whether it is significant. ' +
    `${shortDescription} What a figure lacks is left out as well.`,
  request: {
    query: z.strictObject({
      system: z
        .union([z.string().transform((id) => [id]), z.array(z.string())])
        .pipe(
          z
            .array(z.string().max(100, 'must have at most 100 characters'))
            .min(fewest, `must be given ${fewest} to ${most} times`)
            .max(most, `must be given ${fewest} to ${most} times`)
            .refine((ids) => new Set(ids).size === ids.length, 'must name different systems'),
        )
        .openapi({
          type: 'array',
          items: { type: 'string', maxLength: 100 },
          minItems: fewest,
          maxItems: most,
          uniqueItems: true,
          description: `Ids of ${fewest} to ${most} systems; the first is the baseline.`,
          example: ['sys_3f1c5a0b9d8e7f6a5b4c3d2e', 'sys_0a1b2c3d4e5f60718293a4b5'],
        }),
      ...fullShape,
      ...filterShape,
      ...boundShape,
    }),
  },
  responses: {
    200: { description: 'The comparison.', content: { 'application/json': { schema: ComparisonSchema } } },
    ...readProblems,
  },
});

export function compareRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, compareRoute, ['results']),
    async (c) => {
      const { system, full, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries());
      const asked = { filters: toFilters(given), isFull: full === 'true' };
      return c.json(await compareSystems(deps, system, asked), 200);
    },
    refuse(compareRoute, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
