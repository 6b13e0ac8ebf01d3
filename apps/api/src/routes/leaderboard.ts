import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric, metricFamilies, metricNames } from '@inferboard/core/metrics/index';
import { nearest } from '@inferboard/core/nearest';
import { listLeaderboard } from '@inferboard/db/queries/leaderboard-list';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { LeaderboardSchema } from '../schemas/leaderboard.ts';
import { viewEntry } from '../views.ts';

const rankByDefault = 'output_tok_s_per_gpu';

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
    query: z.strictObject({
      rank_by: z
        .string()
        .max(100)
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
      ...pageShape,
    }),
  },
  responses: {
    200: { description: 'The board.', content: { 'application/json': { schema: LeaderboardSchema } } },
    ...readProblems,
  },
});

const CursorSchema = z.tuple([z.number(), z.string().max(100)]);

/** The metric of a name, or an error with the nearest one. */
function requireMetric(name: string): Metric {
  const metric = findMetric(name);
  if (metric !== null) return metric;
  const meant = nearest(name, [...metricNames, ...metricFamilies.map((family) => family.base)]);
  throw new DomainError('request_invalid', 'The query is not valid.', [
    {
      code: 'metric_unknown',
      parameter: 'rank_by',
      message: `"${name}" is not a metric.`,
      hint: meant === null ? 'GET /v1/catalogue/metrics lists them.' : `Did you mean "${meant}"?`,
    },
  ]);
}

export function leaderboardRoutes(deps: Deps) {
  return createRouter().openapi(
    getLeaderboard,
    async (c) => {
      const {
        rank_by = rankByDefault,
        order: givenOrder,
        limit = limitDefault,
        cursor,
        ...given
      } = c.req.valid('query');
      const rankBy = requireMetric(rank_by);
      const filters = toFilters(given);
      await requireKnownValues(deps.database.db, filters, given);
      const order = givenOrder ?? (rankBy.family.direction === 'lower' ? 'asc' : 'desc');
      const after = decodeCursor(cursor, CursorSchema);
      const board = await listLeaderboard(deps.database.db, {
        rankBy,
        order,
        filters,
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
          next_cursor: last === undefined ? null : encodeCursor([last.value, last.system.id]),
        },
        200,
      );
    },
    refuse(getLeaderboard),
  );
}
