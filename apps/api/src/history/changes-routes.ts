import { createRoute, z } from '@hono/zod-openapi';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { boundShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { verdicts } from '@inferboard/core/series/change';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../http/cursor.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { ChangesSchema, changesExample } from './changes-schema.ts';
import { type ChangesQuestion, changeTypes } from './find-changes.ts';
import { readChanges } from './read-changes.ts';

const metricDefault = 'output_tok_s_per_gpu';

const anyOf = <const L extends readonly [string, ...string[]]>(list: L, description: string) =>
  z
    .union([z.string().transform((text) => [text]), z.array(z.string())])
    .pipe(
      z
        .array(z.enum(list, { error: `must be one of ${list.join(', ')}` }))
        .min(1)
        .max(50, 'at most 50 values'),
    )
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string', enum: [...list] },
      minItems: 1,
      maxItems: 50,
      description,
      example: [list[0]],
    });

/** Parameters of the list of changes and of its feed. */
export const changesQuery = z.strictObject({
  metric: metricSchema('metric')
    .optional()
    .openapi({
      description: `The metric to compare. Default: ${metricDefault}. A latency without a statistic means its mean.`,
      example: 'decode_tok_s',
    }),
  verdict: anyOf(verdicts, 'Only changes with this verdict.'),
  type: anyOf(changeTypes, 'Only changes of this type.'),
  ...filterShape,
  system: originShape.system,
  ...boundShape,
});

/** The error for a metric without a better direction. */
export function neutralFaults(metric: Metric | null): Fault[] {
  if (metric === null || metric.family.direction !== 'neutral') return [];
  return [
    {
      code: 'metric_neutral',
      parameter: 'metric',
      message: `${metric.name} has no better direction, so it cannot improve or regress.`,
      hint: 'GET /v1/catalogue/metrics has the direction of each metric.',
    },
  ];
}

/**
 * Builds the complete question from a query.
 *
 * @throws DomainError `request_invalid` if the metric has no better direction
 */
export function toChangesQuestion(query: z.output<typeof changesQuery>): Omit<ChangesQuestion, 'limit' | 'after'> {
  const { metric: name = metricDefault, verdict, type = null, ...given } = query;
  const metric = findMetric(name);
  if (metric === null) throw new Error(`the schema accepted the unknown metric ${name}`);
  const faults = neutralFaults(metric);
  if (faults.length > 0) throw new DomainError('request_invalid', 'The query is not valid.', faults);
  return {
    metric,
    types: type,
    isMeant: (change) => verdict === undefined || verdict.includes(change.verdict),
    filters: toFilters(given),
  };
}

const CursorSchema = z.tuple([z.string().max(100), z.number().int().min(0).max(changeTypes.length)]);

const listChanges = createRoute({
  method: 'get',
  path: '/v1/changes',
  operationId: 'listChanges',
  tags: ['Results'],
  summary: 'List regressions, improvements and new bests',
  description:
    'Newest first. Compares each system with the previous version of its engine, or a later day with all earlier days, at the same ' +
    'scenario and load with the same formula. Also lists systems that took a first place. The filters select the results that ' +
    'cause changes, the first of a day; they are compared with all ranked results. A change keeps its place in ' +
    'the list. A response examines a limited number of results: a page can be short or empty even if there is a `next_cursor`.',
  request: {
    query: changesQuery
      .extend(pageShape)
      .extend(fieldsShape(ChangesSchema.shape.data.element, 'verdict,metric,system.id')),
  },
  responses: {
    200: {
      description: 'A page.',
      content: { 'application/json': { schema: ChangesSchema, example: changesExample } },
    },
    ...readProblems,
  },
});

export function changeRoutes(deps: Deps) {
  const { db } = deps.database;
  return createRouter().openapi(
    cached(deps, listChanges, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, fields: __, ...query } = c.req.valid('query');
      const question = toChangesQuestion(query);
      await requireKnownValues(db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const at = decodeCursor(c.req.url, CursorSchema);
      const after = at === null ? null : { resultId: at[0], type: at[1] };
      const { data, next } = await readChanges(deps, { ...question, limit, after });
      const cursor = next === null ? null : encodeCursor(c.req.url, [next.resultId, next.type]);
      return c.json({ data, next_cursor: cursor }, 200);
    },
    refuse(listChanges, async (c) => [
      ...neutralFaults(findMetric(c.req.query('metric') ?? metricDefault)),
      ...(await unknownValueFaults(db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
