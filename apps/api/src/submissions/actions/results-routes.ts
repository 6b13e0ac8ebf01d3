import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundedMetrics } from '@inferboard/core/filters/bounds';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { findResult, listResults } from '@inferboard/db/submissions/result-list';
import { requireKnownValues, unknownValueFaults } from '../../boards/known-values.ts';
import { fieldsShape } from '../../conventions/fields.ts';
import type { Deps } from '../../deps.ts';
import { cursorFaults, decodeCursor, readPage } from '../../http/cursor.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { cached } from '../../response-cache/cached.ts';
import { viewResult } from '../../result-views.ts';
import { json, limitDefault, missing, pageOf, pageShape, readProblems } from '../../schemas/common.ts';
import { orText, tableFormatShape } from '../../schemas/format.ts';
import { nextText, textOfResults } from '../../short/list-text.ts';
import { shortResult } from '../../short/short-views.ts';
import { headlineMetrics } from '../submission-views.ts';
import { fullShape, shortDescription } from './full-schema.ts';
import { ListedResultSchema, ResultSchema } from './result-schema.ts';

/** Parameters of both the pages and the exports of results. */
export const resultsQuery = z.strictObject({ ...filterShape, ...originShape, ...boundShape });

const resultsText =
  'System                                Scenario  Load          Figures                           Findings  Trust          Submission\nLlama 3.1 8B, fp8, H100, vllm 0.11.0  chatbot   8 concurrent  output_tok_s_per_gpu 1,240 tok/s         0  self_reported  sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f\n';

const listResultsRoute = createRoute({
  method: 'get',
  path: '/v1/results',
  operationId: 'listResults',
  tags: ['Results'],
  summary: 'List results',
  description:
    'Each measured repetition separately, with its checks and derived figures, newest first. `/v1/results.csv`, `.jsonl` and `.parquet` have all of them in one file. ' +
    `${shortDescription} Its metrics are those that the query bounds and ${headlineMetrics.join(', ')}. Findings have only their codes.`,
  request: {
    query: resultsQuery
      .extend(pageShape)
      .extend(fullShape)
      .extend(tableFormatShape)
      .extend(fieldsShape(ResultSchema, 'id,system.label,metrics.output_tok_s')),
  },
  responses: {
    ...orText({ 200: json('A page.', pageOf(ListedResultSchema)) }, resultsText),
    ...readProblems,
  },
});

const getResult = createRoute({
  method: 'get',
  path: '/v1/results/{id}',
  operationId: 'getResult',
  tags: ['Results'],
  summary: 'Get a result',
  description: 'The full result, in any status. `status` states whether it ranks.',
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the result.', example: 'res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
    }),
    query: z.strictObject({}),
  },
  responses: {
    200: json('The result.', ResultSchema),
    ...readProblems,
    ...missing,
  },
});

function notFound(id: string): DomainError {
  return new DomainError(
    'not_found',
    isId('res', id) ? `There is no result ${id}.` : 'This is not the id of a result.',
  );
}

/** The id of the last result of the previous page. */
const CursorSchema = z.string().max(100);

export function resultRoutes(deps: Deps) {
  return createRouter()
    .openapi(
      cached(deps, listResultsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, cursor: _, full, fields, format, ...given } = c.req.valid('query');
        await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const isFull = full === 'true' || fields !== undefined;
        const filters = toFilters(given);
        const after = decodeCursor(c.req.url, CursorSchema);
        const read = (most: number) => listResults(deps.database.reads.db, { filters, limit: most, after });
        const { page, cursor } = await readPage(c.req.url, limit, read, ({ id }) => id);
        const bounded = boundedMetrics(filters);
        if (format === 'text') {
          const results = page.map((row) => shortResult(row, bounded));
          return c.text(textOfResults(results, bounded, nextText(deps.publicUrl, c.req.url, cursor)), 200);
        }
        const data = page.map((row) => (isFull ? viewResult(row, deps.publicUrl) : shortResult(row, bounded)));
        return c.json({ data, next_cursor: cursor }, 200);
      },
      refuse(listResultsRoute, async (c) => [
        ...(await unknownValueFaults(deps.database.db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      cached(deps, getResult, ['results']),
      async (c) => {
        const { id } = c.req.valid('param');
        const row = isId('res', id) ? await findResult(deps.database.db, id) : null;
        if (row === null) throw notFound(id);
        return c.json(viewResult(row, deps.publicUrl), 200);
      },
      refuse(getResult),
    );
}
