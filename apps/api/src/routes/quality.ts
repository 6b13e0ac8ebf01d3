import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { listQuality } from '@inferboard/db/queries/quality-list';
import { kept } from '../answer-cache/keep.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { viewQuality } from '../quality-views.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { orNull } from '../schemas/choice.ts';
import { limitDefault, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { ListedSystemSchema, LoadSchema, SourceSchema, StatusSchema, TrustSchema } from '../schemas/result.ts';

const EvaluationSchema = z
  .object({
    workload: z
      .string()
      .openapi({ description: 'Evaluations of one workload compare: the task with all that matters to it.' }),
    task: z.string(),
    metric: z.string().openapi({ description: 'As the tool names it: exact_match.' }),
    variant: z.string().nullable().openapi({ description: 'How answers were taken from the output.' }),
    few_shot: z.number().int().nullable().openapi({ description: 'Examples in the prompt.' }),
    context: z.number().int().nullable().openapi({ description: 'Tokens of a window of text.' }),
    measure: z
      .enum(['score', 'perplexity', 'kl_divergence'])
      .openapi({ description: 'The metric of ours that it is.' }),
    better: z.enum(['higher', 'lower']),
    value: z.number().openapi({ description: 'A score is a share of the full one, from 0 to 1.' }),
    standard_error: z.number().nullable(),
    n: z.number().int().nullable().openapi({ description: 'Items, or tokens, behind the value.' }),
    system: ListedSystemSchema,
    load: LoadSchema,
    status: StatusSchema,
    trust: TrustSchema,
    findings: z.number().int(),
    tool: z.string(),
    source: orNull(SourceSchema).openapi({
      description: 'Where it was published, if an operator imported it from there.',
    }),
    measured_at: z.string().nullable(),
    links: z.object({ system: z.string(), submission: z.string(), page: z.string() }),
  })
  .openapi('Evaluation');

const listQualityRoute = createRoute({
  method: 'get',
  path: '/v1/quality',
  operationId: 'listQuality',
  tags: ['Results'],
  summary: 'Evaluations: what models answer, by quantization',
  description:
    'Each task of each system once, by the claim that stands. GPU and engine are n/a where the evaluation does not state them. ' +
    '`workload` takes the id of a task; `min_score`, `max_perplexity` and `max_kl_divergence` bound the value.',
  request: { query: z.strictObject({ ...filterShape, ...boundShape, ...pageShape }) },
  responses: {
    200: { description: 'A page.', content: { 'application/json': { schema: pageOf(EvaluationSchema) } } },
    ...readProblems,
  },
});

/** The last point of the page before. */
const CursorSchema = z.number().int().nonnegative();

export function qualityRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, listQualityRoute, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const rows = await listQuality(deps.database.reads.db, {
        filters: toFilters(given),
        limit: limit + 1,
        after: decodeCursor(c.req.url, CursorSchema),
      });
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return c.json(
        {
          data: page.flatMap((row) => viewQuality(row, deps.publicUrl) ?? []),
          next_cursor: last === undefined ? null : encodeCursor(c.req.url, last.point_id),
        },
        200,
      );
    },
    refuse(listQualityRoute, async (c) => [
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
