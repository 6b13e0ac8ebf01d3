import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { listQuality } from '@inferboard/db/catalogue/quality-list';
import { orNull } from '../boards/choice-schema.ts';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../http/cursor.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, limitDefault, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { ListedSystemSchema, LoadSchema } from '../schemas/subjects.ts';
import { SourceSchema, StatusSchema, TrustSchema } from '../submissions/actions/result-schema.ts';
import { viewQuality } from './quality-views.ts';

const EvaluationSchema = z
  .object({
    workload: z
      .string()
      .openapi({ description: 'Evaluations of one workload are comparable: the task with all its parameters.' }),
    task: z.string(),
    metric: z.string().openapi({ description: 'Name used by the tool, such as exact_match.' }),
    variant: z.string().nullable().openapi({ description: 'How answers were extracted from the output.' }),
    few_shot: z.number().int().nullable().openapi({ description: 'Examples in the prompt.' }),
    context: z.number().int().nullable().openapi({ description: 'Tokens of a window of text.' }),
    measure: z
      .enum(['score', 'perplexity', 'kl_divergence'])
      .openapi({ description: 'The corresponding metric of the catalogue.' }),
    better: z.enum(['higher', 'lower']),
    value: z.number().openapi({ description: 'A score is a fraction of the maximum, from 0 to 1.' }),
    standard_error: z.number().nullable(),
    n: z.number().int().nullable().openapi({ description: 'Number of items or tokens.' }),
    system: ListedSystemSchema,
    load: LoadSchema,
    status: StatusSchema,
    trust: TrustSchema,
    findings: z.number().int(),
    tool: z.string(),
    source: orNull(SourceSchema).openapi({
      description: 'The publication, if an operator imported it.',
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
  summary: 'List evaluations of answer quality',
  description:
    'By quantization: each task of each system once, from the chosen claim. GPU and engine are n/a if the evaluation does not state them. ' +
    '`workload` is the id of a task; `min_score`, `max_perplexity` and `max_kl_divergence` bound the value.',
  request: {
    query: z.strictObject({
      ...filterShape,
      ...boundShape,
      ...pageShape,
      ...fieldsShape(EvaluationSchema, 'value,system.model.name'),
    }),
  },
  responses: {
    200: json('A page.', pageOf(EvaluationSchema)),
    ...readProblems,
  },
});

/** The last point of the previous page. */
const CursorSchema = z.number().int().nonnegative();

export function qualityRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, listQualityRoute, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, fields: __, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const asked = { filters: toFilters(given), after: decodeCursor(c.req.url, CursorSchema) };
      const read = (most: number) => listQuality(deps.database.reads.db, { ...asked, limit: most });
      const { page, cursor } = await readPage(c.req.url, limit, read, ({ point_id }) => point_id);
      return c.json({ data: page.flatMap((row) => viewQuality(row, deps.publicUrl) ?? []), next_cursor: cursor }, 200);
    },
    refuse(listQualityRoute, async (c) => [
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
