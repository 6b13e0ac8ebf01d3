import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { usedFacts } from '@inferboard/core/filters/fact-names';
import {
  boundShape,
  countShape,
  definitionShape,
  filterShape,
  originShape,
  toFilters,
} from '@inferboard/core/filters/parameters';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { PricesSchema, pricesDescription, withPrices } from '../prices/prices-schema.ts';
import { costName, costRate, readPrices } from '../prices/requested-prices.ts';
import { cached } from '../response-cache/cached.ts';
import { json, readProblems } from '../schemas/common.ts';
import { orText, pageOfRequest, tableFormatShape } from '../schemas/format.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
  QualityTaskSchema,
} from '../schemas/subjects.ts';
import { textOfFrontier } from '../short/chart-text.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import { SourceSchema } from '../submissions/actions/result-schema.ts';
import { axisSchema, scoreAxesOf } from './axis-schema.ts';
import {
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  orNull,
  WorkloadChoiceSchema,
} from './choice-schema.ts';
import { findFrontier } from './find-frontier.ts';
import { requireKnownValues, unknownValueFaults } from './known-values.ts';
import { requireMetric } from './resolve-rank.ts';

const [xDefault, yDefault] = ['user_tok_s', 'output_tok_s_per_gpu'];

const AxisSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  definition: orNull(ChoiceSchema).openapi({
    description: 'The group of formulas that is compared; null if there is only one.',
  }),
  evaluation: QualityTaskSchema.extend({ workload: z.string() }).optional().openapi({
    description:
      'If an axis has scores: their evaluation, the one with the most models and quantizations under the filters. A system has the scores of its model and quantization.',
  }),
});

const FrontierSchema = z
  .object({
    x: AxisSchema,
    y: AxisSchema,
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null if no point has both metrics.' }),
    prices: PricesSchema.optional().openapi({ description: pricesDescription }),
    data: z.array(
      z.object({
        on_frontier: z
          .boolean()
          .openapi({ description: 'No other point is at least as good on both and better on one.' }),
        x: z.number(),
        y: z.number(),
        system: ListedSystemSchema,
        scenario: ListedScenarioSchema,
        workload: ListedWorkloadSchema.optional(),
        load: ListedLoadSchema,
        sources: z.array(SourceSchema).readonly().optional().openapi({
          description:
            'Publications of the imported results of this point, at most 10; empty if there are none. A short response omits them.',
        }),
        links: z.object({ system: z.string().optional(), page: z.string() }),
      }),
    ),
    excluded: z.record(z.string(), z.number().int()).openapi({
      description: `${excludedDescription} beyond_limit: off the frontier and not among the thousand best by y. off_frontier: with \`frontier_of\`, points that another point of the same group beats. not_evaluated: with a score as an axis, points whose model and quantization have no score of this evaluation.`,
    }),
    excluded_at_least: excludedAtLeastSchema,
  })
  .openapi('Frontier');

const frontierText =
  'output_tok_s_per_gpu (higher is better) over user_tok_s (higher is better) in chatbot-steady\n\nuser_tok_s  output_tok_s_per_gpu  Frontier  System                                Load\n39.5 tok/s           2,507 tok/s  *         Llama 3.1 8B, fp8, H100, vllm 0.11.0  64 concurrent\n\nPage: http://localhost:8787/explore\n';

const getPareto = createRoute({
  method: 'get',
  path: '/v1/pareto',
  operationId: 'getPareto',
  tags: ['Leaderboard'],
  summary: 'Get points by two metrics, and the frontier',
  description:
    'Every point of one workload that meets the filters and has both metrics, ordered by x. Default workload: the one with the most systems. ' +
    shortDescription,
  request: {
    query: withPrices({
      x: axisSchema('x')
        .optional()
        .openapi({
          description: `A metric, ${costName}, or the scores of a task: score:gsm8k. Default: ${xDefault}.`,
          example: xDefault,
        }),
      y: axisSchema('y')
        .optional()
        .openapi({
          description: `As for x. Only one axis can have scores. Default: ${yDefault}.`,
          example: yDefault,
        }),
      frontier_of: z
        .enum(usedFacts, { error: `must be one of ${usedFacts.join(', ')}` })
        .optional()
        .openapi({
          description: 'Returns the frontier of each model, GPU, quantization or engine instead of all points.',
          example: 'gpu',
        }),
      ...fullShape,
      ...tableFormatShape,
      ...fieldsShape(FrontierSchema.shape.data.element, 'x,y,on_frontier,system.gpu.name'),
      ...definitionShape,
      ...countShape,
      ...filterShape,
      system: originShape.system,
      ...boundShape,
    }),
  },
  responses: {
    ...orText({ 200: json('The points.', FrontierSchema) }, frontierText),
    ...readProblems,
  },
});

/** The error for scores on both axes. */
function twoScores(): DomainError {
  const message = 'Only one axis can have scores: the other one is a metric of speed, latency or cost.';
  return new DomainError('request_invalid', message, [{ code: 'metrics_of_two_kinds', parameter: 'y', message }]);
}

export function paretoRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getPareto, ['results']),
    async (c) => {
      const {
        x: xName = xDefault,
        y: yName = yDefault,
        definition = null,
        frontier_of: frontierOf = null,
        count,
        full,
        fields,
        format,
        ...given
      } = c.req.valid('query');
      const [score = null, second] = scoreAxesOf({ x: xName, y: yName });
      if (second !== undefined) throw twoScores();
      const metricOf = (name: string, axis: 'x' | 'y') =>
        name === costName ? costRate : requireMetric(score?.axis === axis ? 'score' : name);
      const [x, y] = [metricOf(xName, 'x'), metricOf(yName, 'y')];
      const costs = (['x', 'y'] as const).filter((axis) => (axis === 'x' ? xName : yName) === costName);
      const prices = costs.length === 0 ? null : await readPrices(deps, c.req.queries());
      await requireKnownValues(deps.database.db, c.req.queries());
      if (score === null && x.family.kind !== y.family.kind) {
        const message = `${x.name} is a metric of ${x.family.kind} results, ${y.name} of ${y.family.kind} results: no point has both.`;
        throw new DomainError('request_invalid', message, [{ code: 'metrics_of_two_kinds', parameter: 'y', message }]);
      }
      const filters = { ...toFilters(given), ...(prices !== null && { prices: prices.gpus }) };
      const question = {
        ...{ x, y, definition, filters, costs, prices, score, frontierOf },
        ...{ countsAll: count === 'exact', isFull: full === 'true' || fields !== undefined },
        withSources: full === 'true' || fields?.includes('sources') === true,
      };
      const { searchParams } = new URL(c.req.url);
      const frontier = await findFrontier(deps, question, searchParams);
      if (format !== 'text') return c.json(frontier, 200);
      return c.text(textOfFrontier(frontier, pageOfRequest(deps.publicUrl, '/explore', searchParams)), 200);
    },
    refuse(getPareto, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
