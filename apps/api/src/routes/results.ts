import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { listResults } from '@inferboard/db/queries/result-list';
import { kept } from '../answer-cache/keep.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, pageOf, pageShape, readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { ListedResultSchema } from '../schemas/result.ts';
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

/** The id of the last result of the page before. */
const CursorSchema = z.string().max(100);

export function resultRoutes(deps: Deps) {
  return createRouter().openapi(
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
  );
}
