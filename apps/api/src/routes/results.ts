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
import { ResultSchema } from '../schemas/result.ts';
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
    'Every measured repetition by itself, with what was checked and derived. `/v1/results.csv` and its siblings have all of them at once.',
  request: {
    query: resultsQuery.extend(pageShape),
  },
  responses: {
    200: { description: 'A page.', content: { 'application/json': { schema: pageOf(ResultSchema) } } },
    ...readProblems,
  },
});

/** The id of the last result of the page before. */
const CursorSchema = z.string().max(100);

export function resultRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, listResultsRoute, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const rows = await listResults(deps.database.reads.db, {
        filters: toFilters(given),
        limit: limit + 1,
        after: decodeCursor(c.req.url, CursorSchema),
      });
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return c.json(
        {
          data: page.map((row) => viewResult(row, deps.publicUrl)),
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
