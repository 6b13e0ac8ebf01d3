import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, readProblems } from '../schemas/common.ts';
import { orText, tableFormatShape } from '../schemas/format.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
} from '../schemas/subjects.ts';
import { textOfComparison } from '../short/comparison-text.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import { KindSchema } from '../submissions/actions/result-schema.ts';
import { compareSystems } from './compare-systems.ts';

const [fewest, most] = [2, 6];

const FigureSchema = z
  .object({
    value: z.number(),
    n: z.number().int().nullable().openapi({ description: 'Null if a tool averaged and did not report the number.' }),
    sd: z.number().nullable().optional(),
    ci95: z.tuple([z.number(), z.number()]).nullable().optional(),
    definition: z.string().nullable().optional(),
    compared: z
      .object({
        ratio: z.number().nullable().openapi({ description: 'Value divided by that of the first system.' }),
        interval: z.tuple([z.number(), z.number()]).nullable().openapi({ description: '95 % interval of the ratio.' }),
        significant: z.boolean().nullable().openapi({ description: 'Whether the interval excludes 1.' }),
        better: z.boolean().nullable(),
        reason: z.string().nullable().openapi({ description: 'Why there is no ratio, or no interval.' }),
      })
      .partial()
      .nullable()
      .optional()
      .openapi({ description: 'Null for the first system, and if the first has no value.' }),
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
              .openapi({ description: 'In the order of the systems; null for a system without this measurement.' }),
          }),
        ),
      }),
    ),
    excluded: z.record(z.string(), z.number().int()),
  })
  .openapi('Comparison');

const textExample = `A: Llama 3.1 8B, fp8, H100 SXM, vLLM 0.10.2
B: Llama 3.1 8B, fp8, H100 SXM, vLLM 0.11.0

chatbot-steady, 8 concurrent
Metric                          A                      B
output_tok_s_per_gpu  1,180 tok/s  1,240 tok/s (1.051x*)

* The 95 % interval of the ratio excludes 1.
Page: http://localhost:8787/compare?system=sys_3f1c5a0b9d8e7f6a5b4c3d2e&system=sys_0a1b2c3d4e5f60718293a4b5
`;

const compareRoute = createRoute({
  method: 'get',
  path: '/v1/compare',
  operationId: 'compareSystems',
  tags: ['Systems'],
  summary: 'Compare systems side by side',
  description:
    'First the facts that differ. Then, for every scenario and load that at least two were measured at, each metric with its ratio to the first system, the interval of that ratio, and whether it is significant. ' +
    `${shortDescription} Missing parts of a metric are omitted too.`,
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
      ...tableFormatShape,
      ...filterShape,
      ...boundShape,
    }),
  },
  responses: {
    ...orText({ 200: json('The comparison.', ComparisonSchema) }, textExample),
    ...readProblems,
  },
});

export function compareRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, compareRoute, ['results']),
    async (c) => {
      const { system, full, format, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries());
      const asked = { filters: toFilters(given), isFull: full === 'true' };
      const comparison = await compareSystems(deps, system, asked);
      if (format !== 'text') return c.json(comparison, 200);
      const { searchParams } = new URL(c.req.url);
      for (const name of ['format', 'full']) searchParams.delete(name);
      return c.text(textOfComparison(comparison, `${deps.publicUrl}/compare?${searchParams}`), 200);
    },
    refuse(compareRoute, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
