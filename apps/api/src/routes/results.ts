import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { findResult, listResults } from '@inferboard/db/queries/result-list';
import { kept } from '../answer-cache/keep.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, missing, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { ListedResultSchema, ResultSchema } from '../schemas/result.ts';
import { shortResult } from '../short/short-views.ts';
import { headlineMetrics } from '../submission-views.ts';
import { viewResult } from '../views.ts';

/** What both the pages and the exports of results can be asked. */
export const resultsQuery = z.strictObject({ ...filterShape, ...originShape, ...boundShape });

const listResultsRoute = createRoute({
  method: 'get',
  path: '/v1/results',
  operationId: 'listResults',
  tags: ['Results'],
  summary: 'Single results, newest first',
  description:
    'Every measured repetition by itself, with what was checked and derived. `/v1/results.csv` and its siblings have all of them at once. ' +
    `${shortDescription} Of the metrics it has those that the question bounds and ${headlineMetrics.join(', ')}; of the findings the codes.`,
  request: {
    query: resultsQuery.extend(pageShape).extend(fullShape),
  },
  responses: {
    200: { description: 'A page.', content: { 'application/json': { schema: pageOf(ListedResultSchema) } } },
    ...readProblems,
  },
});

const getResult = createRoute({
  method: 'get',
  path: '/v1/results/{id}',
  operationId: 'getResult',
  tags: ['Results'],
  summary: 'One result',
  description: 'The full result, in any status: `status` says whether it ranks.',
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the result.', example: 'res_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f' }),
    }),
    query: z.strictObject({}),
  },
  responses: {
    200: { description: 'The result.', content: { 'application/json': { schema: ResultSchema } } },
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

/** The id of the last result of the page before. */
const CursorSchema = z.string().max(100);

export function resultRoutes(deps: Deps) {
  return createRouter()
    .openapi(
      kept(deps, listResultsRoute, ['results']),
      async (c) => {
        const { limit = limitDefault, cursor: _, full, ...given } = c.req.valid('query');
        await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
        const filters = toFilters(given);
        const rows = await listResults(deps.database.reads.db, {
          filters,
          limit: limit + 1,
          after: decodeCursor(c.req.url, CursorSchema),
        });
        const page = rows.slice(0, limit);
        const last = rows.length > limit ? page.at(-1) : undefined;
        const bounded = filters.bounds.map(({ metric }) => metric);
        return c.json(
          {
            data: page.map((row) => (full === 'true' ? viewResult(row, deps.publicUrl) : shortResult(row, bounded))),
            next_cursor: last === undefined ? null : encodeCursor(c.req.url, last.id),
          },
          200,
        );
      },
      refuse(listResultsRoute, async (c) => [
        ...(await unknownValueFaults(deps.database.db, c.req.queries())),
        ...cursorFaults(c.req.url, CursorSchema),
      ]),
    )
    .openapi(
      kept(deps, getResult, ['results']),
      async (c) => {
        const { id } = c.req.valid('param');
        const row = isId('res', id) ? await findResult(deps.database.db, id) : null;
        if (row === null) throw notFound(id);
        return c.json(viewResult(row, deps.publicUrl), 200);
      },
      refuse(getResult),
    );
}
