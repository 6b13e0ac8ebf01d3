import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../http/cursor.ts';
import { isId } from '../http/is-id.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { orText, pageOfRequest, tableFormatShape } from '../schemas/format.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { textOfHistory } from '../short/chart-text.ts';
import { nextText } from '../short/list-text.ts';
import { historyExample } from './history-example-schema.ts';
import { HistorySchema, HistorySeriesSchema } from './history-schema.ts';
import { historySteps, readHistory } from './read-history.ts';

const metricDefault = 'output_tok_s_per_gpu';

const historyText =
  'output_tok_s_per_gpu by version: Llama 3.1 8B, fp8, H100, vllm\n\nchatbot, 8 concurrent\nVersion         Mean  95 % interval             n  Date\n0.11.0   1,240 tok/s  1,228 tok/s to 1,252 tok/s  4  2026-11-25\n\nPage: http://localhost:8787/history?system=sys_3f1c5a0b9d8e7f6a5b4c3d2e\n';

const getHistory = createRoute({
  method: 'get',
  path: '/v1/history',
  operationId: 'getHistory',
  tags: ['Systems'],
  summary: 'Get a metric of a system over time and engine versions',
  description:
    'For every scenario and load, a series of values of one metric, from the system and from those that differ from it only in ' +
    'the engine version. A value summarizes a version, a month of a version or a single result. ' +
    'Values of different formulas are separate series. Page limits count series.',
  request: {
    query: z.strictObject({
      system: z
        .string({ error: (issue) => (Array.isArray(issue.input) ? 'may be given only once' : undefined) })
        .max(100, 'must have at most 100 characters')
        .openapi({ description: 'System id, of any version.', example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e' }),
      metric: metricSchema('metric')
        .optional()
        .openapi({
          description: `Default: ${metricDefault}. A latency without a statistic means its mean.`,
          example: 'decode_tok_s',
        }),
      by: z
        .enum(historySteps, { error: `must be one of ${historySteps.join(', ')}` })
        .optional()
        .openapi({
          description: 'What a value summarizes: a version (the default), a month of a version, or a single result.',
          example: 'version',
        }),
      ...filterShape,
      ...boundShape,
      ...pageShape,
      ...tableFormatShape,
      ...fieldsShape(HistorySeriesSchema, 'scenario.id,load,values.mean'),
    }),
  },
  responses: {
    ...orText(
      {
        200: {
          description: 'A page of series, by scenario and load.',
          content: { 'application/json': { schema: HistorySchema, example: historyExample } },
        },
      },
      historyText,
    ),
    ...readProblems,
  },
});

const CursorSchema = z.tuple([z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), z.string().max(100)]);

export function historyRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter().openapi(
    cached(deps, getHistory, ['results']),
    async (c) => {
      const query = c.req.valid('query');
      const { system, metric: name = metricDefault, by = 'version', limit = limitDefault, ...rest } = query;
      const { cursor: _, fields: __, format, ...given } = rest;
      const metric = findMetric(name);
      if (metric === null) throw new Error(`the schema accepted the unknown metric ${name}`);
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
      // The system was removed between the two queries, or never existed.
      if (history === null)
        throw new DomainError('request_invalid', 'There is no such system.', [
          { code: 'value_unknown', parameter: 'system', message: 'There is no such system.' },
        ]);
      const { next, ...answer } = history;
      const cursor = next === null ? null : encodeCursor(c.req.url, [next.pointId, next.definition]);
      if (format !== 'text') return c.json({ ...answer, next_cursor: cursor }, 200);
      const page = pageOfRequest(deps.publicUrl, '/history', new URL(c.req.url).searchParams);
      return c.text(textOfHistory(answer, page, nextText(deps.publicUrl, c.req.url, cursor)), 200);
    },
    refuse(getHistory, async (c) => [
      ...(await unknownValueFaults(db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
