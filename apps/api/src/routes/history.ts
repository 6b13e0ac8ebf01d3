import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { historySteps, readHistory } from '../actions/read-history.ts';
import { kept } from '../answer-cache/keep.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { HistorySchema } from '../schemas/history.ts';
import { historyExample } from '../schemas/history-example.ts';
import { metricSchema } from '../schemas/metric-name.ts';

const metricDefault = 'output_tok_s_per_gpu';

const getHistory = createRoute({
  method: 'get',
  path: '/v1/history',
  operationId: 'getHistory',
  tags: ['Systems'],
  summary: 'How a metric moved over time and over the versions of an engine',
  description:
    'For every scenario and load a series of values of one metric, from the system and from those that equal it in ' +
    'everything but the version of their engine. A value sums up a version, a month of a version or a single result. ' +
    'Values by different formulas are series of their own. Pages count series.',
  request: {
    query: z.strictObject({
      system: z
        .string({ error: (issue) => (Array.isArray(issue.input) ? 'may be given once' : undefined) })
        .max(100, 'must have at most 100 characters')
        .openapi({ description: 'System id, of any version.', example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e' }),
      metric: metricSchema('metric')
        .optional()
        .openapi({
          description: `${metricDefault} by default. A bare latency means its mean.`,
          example: 'decode_tok_s',
        }),
      by: z
        .enum(historySteps, { error: `must be one of ${historySteps.join(', ')}` })
        .optional()
        .openapi({
          description:
            'What a value sums up: a version (the default), a month of a version, or nothing: single results.',
          example: 'version',
        }),
      ...filterShape,
      ...boundShape,
      ...pageShape,
    }),
  },
  responses: {
    200: {
      description: 'A page of series, by scenario and load.',
      content: { 'application/json': { schema: HistorySchema, example: historyExample } },
    },
    ...readProblems,
  },
});

const CursorSchema = z.tuple([z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), z.string().max(100)]);

export function historyRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter().openapi(
    kept(deps, getHistory, ['results']),
    async (c) => {
      const query = c.req.valid('query');
      const { system, metric: name = metricDefault, by = 'version', limit = limitDefault, cursor: _, ...given } = query;
      const metric = findMetric(name);
      if (metric === null) throw new Error(`the schema let ${name} pass`);
      await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const after = decodeCursor(c.req.url, CursorSchema);
      const history = isId('sys', system)
        ? await readHistory(deps, {
            systemId: system,
            metric,
            by,
            filters: toFilters(given),
            limit,
            after: after === null ? null : { pointId: after[0], definition: after[1] },
          })
        : null;
      // It went between the two questions, or never was.
      if (history === null)
        throw new DomainError('request_invalid', 'There is no such system.', [
          { code: 'value_unknown', parameter: 'system', message: 'There is no such system.' },
        ]);
      const { next, ...answer } = history;
      const cursor = next === null ? null : encodeCursor(c.req.url, [next.pointId, next.definition]);
      return c.json({ ...answer, next_cursor: cursor }, 200);
    },
    refuse(getHistory, async (c) => [
      ...(await unknownValueFaults(db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
