import { createRoute, z } from '@hono/zod-openapi';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { usedFacts } from '@inferboard/core/filters/fact-names';
import { boundShape, definitionShape, filterShape, originShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric } from '@inferboard/core/metrics/index';
import { requireKnownValues, unknownValueFaults } from '../boards/known-values.ts';
import { requireMetric } from '../boards/resolve-rank.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, readProblems } from '../schemas/common.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import { neutralFaults } from './changes-routes.ts';
import { readTrend, type TrendQuestion } from './read-trend.ts';
import { TrendSchema } from './trend-schema.ts';

/** The first one with a value is used if the request names none. */
const metricsDefault = ['output_tok_s_per_gpu', 'decode_tok_s', 'prefill_tok_s'] as const;
const [metricDefault] = metricsDefault;
const byDefault = 'gpu';

const getTrend = createRoute({
  method: 'get',
  path: '/v1/trends',
  operationId: 'getTrend',
  tags: ['Results'],
  summary: 'Get the best figures over time',
  description:
    'For each GPU, model, quantization or engine, the best figure of each day on which one was measured, and which of them were ' +
    'the best so far. All values have one workload and comparable formulas; a system is represented by its best load, as on a board. ' +
    'Without `workload`, the workload with the longest series is used. One of ' +
    '`model`, `model_family`, `gpu` and `system` is required. ' +
    shortDescription,
  request: {
    query: z.strictObject({
      metric: metricSchema('metric')
        .optional()
        .openapi({
          description: `Default: the first of ${metricsDefault.join(', ')} that has a value, or ${metricDefault} if a definition is given. A latency without a statistic means its mean.`,
          example: 'output_tok_s_per_gpu',
        }),
      by: z
        .enum(usedFacts, { error: `must be one of ${usedFacts.join(', ')}` })
        .optional()
        .openapi({ description: `Grouping of the series. Default: ${byDefault}.`, example: byDefault }),
      ...fullShape,
      ...definitionShape,
      ...filterShape,
      system: originShape.system,
      ...boundShape,
    }),
  },
  responses: {
    200: json('The series, best first.', TrendSchema),
    ...readProblems,
  },
});

const narrowing = ['model', 'model_family', 'gpu', 'system'] as const;

/** The error for a question about all models on all GPUs: the smallest model would be the best on each. */
function wideFaults(query: Record<string, unknown>): Fault[] {
  if (narrowing.some((name) => query[name] !== undefined)) return [];
  const message = 'A trend needs a model, a GPU or a system.';
  return [{ code: 'parameter_missing', parameter: 'model', message, hint: `Add one of ${narrowing.join(', ')}.` }];
}

/**
 * Returns which values of a metric are better.
 *
 * @throws DomainError `request_invalid` if neither is
 */
function betterOf(metric: Metric): 'higher' | 'lower' {
  const { direction } = metric.family;
  if (direction !== 'neutral') return direction;
  throw new DomainError('request_invalid', 'The query is not valid.', neutralFaults(metric));
}

/** The trend of the first other default metric with a value; null if none has one. */
async function readOther(deps: Deps, question: TrendQuestion, asked: URLSearchParams) {
  for (const name of metricsDefault.slice(1)) {
    const metric = requireMetric(name);
    // The links to other workloads and definitions keep the metric.
    const named = new URLSearchParams([...asked, ['metric', name]]);
    const trend = await readTrend(deps, { ...question, metric, better: betterOf(metric) }, named);
    if (trend.days > 0) return trend;
  }
  return null;
}

export function trendRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getTrend, ['results']),
    async (c) => {
      const { metric: name, by = byDefault, definition = null, full, ...given } = c.req.valid('query');
      const metric = requireMetric(name ?? metricDefault);
      const better = betterOf(metric);
      await requireKnownValues(deps.database.db, c.req.queries(), wideFaults(given));
      const question = { metric, better, by, definition, filters: toFilters(given), isFull: full === 'true' };
      const asked = new URL(c.req.url).searchParams;
      const trend = await readTrend(deps, question, asked);
      if (trend.days > 0 || name !== undefined || definition !== null) return c.json(trend, 200);
      return c.json((await readOther(deps, question, asked)) ?? trend, 200);
    },
    refuse(getTrend, async (c) => [
      ...neutralFaults(findMetric(c.req.query('metric') ?? metricDefault)),
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...wideFaults(c.req.queries()),
    ]),
  );
}
