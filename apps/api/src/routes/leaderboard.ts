import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { type BoardQuestion, listLeaderboard } from '@inferboard/db/queries/leaderboard-list';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { LeaderboardSchema } from '../schemas/leaderboard.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { viewEntry } from '../views.ts';

/** What a board ranks by if it is not said. */
export const rankByDefault = 'output_tok_s_per_gpu';

/** What both the pages and the exports of a board can be asked. */
export const leaderboardQuery = z.strictObject({
  rank_by: metricSchema('rank_by')
    .optional()
    .openapi({
      description: `Metric to rank by; ${rankByDefault} by default. A bare latency means its mean.`,
      example: 'decode_tok_s',
    }),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .optional()
    .openapi({ description: 'Which values come first; the better ones by default.' }),
  ...filterShape,
  ...boundShape,
});

/** The board that is asked for. */
export function toBoardQuestion(query: z.output<typeof leaderboardQuery>): BoardQuestion {
  const { rank_by = rankByDefault, order, ...given } = query;
  const rankBy = findMetric(rank_by);
  if (rankBy === null) throw new Error(`the schema let ${rank_by} pass`);
  const better = rankBy.family.direction === 'lower' ? 'asc' : 'desc';
  return { rankBy, order: order ?? better, filters: toFilters(given) };
}

const getLeaderboard = createRoute({
  method: 'get',
  path: '/v1/leaderboard',
  operationId: 'getLeaderboard',
  tags: ['Leaderboard'],
  summary: 'Each system at its best point under the constraints, ranked',
  description:
    'Systems whose 95 % intervals overlap share a rank. `excluded` counts the points that were left out, by reason. ' +
    'Values made by formulas that cannot be compared are never ranked together: `definition` names the one that is.',
  request: {
    query: leaderboardQuery.extend(pageShape),
  },
  responses: {
    200: { description: 'The board.', content: { 'application/json': { schema: LeaderboardSchema } } },
    ...readProblems,
  },
});

const CursorSchema = z.tuple([z.number(), z.string().max(100)]);

export function leaderboardRoutes(deps: Deps) {
  return createRouter().openapi(
    getLeaderboard,
    async (c) => {
      const { limit = limitDefault, cursor: _, ...given } = c.req.valid('query');
      const question = toBoardQuestion(given);
      const { rankBy, order } = question;
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const after = decodeCursor(c.req.url, CursorSchema);
      const board = await listLeaderboard(deps.database.db, {
        ...question,
        limit,
        after: after === null ? null : { value: after[0], system: after[1] },
      });
      const last = board.hasMore ? board.rows.at(-1) : undefined;
      return c.json(
        {
          rank_by: rankBy.name,
          order,
          unit: rankBy.family.unit,
          definition: board.definitionGroup,
          data: board.rows.map((row) => viewEntry(row, rankBy.name, deps.publicUrl)),
          excluded: board.excluded,
          next_cursor: last === undefined ? null : encodeCursor(c.req.url, [last.value, last.system.id]),
        },
        200,
      );
    },
    refuse(getLeaderboard, async (c) => [
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
