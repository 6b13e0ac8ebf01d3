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
import { findFrontier } from '../actions/find-frontier.ts';
import { requireMetric } from '../actions/settle-board.ts';
import { kept } from '../answer-cache/keep.ts';
import { costName, costRate, readPrices } from '../asked-prices.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import {
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  orNull,
  WorkloadChoiceSchema,
} from '../schemas/choice.ts';
import { readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { PricesSchema, pricesDescription, withPrices } from '../schemas/prices.ts';
import { ListedLoadSchema, ListedScenarioSchema, ListedSystemSchema, ListedWorkloadSchema } from '../schemas/result.ts';

const [xDefault, yDefault] = ['user_tok_s', 'output_tok_s_per_gpu'];

const AxisSchema = z.object({
  metric: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  definition: orNull(ChoiceSchema).openapi({
    description: 'The group of formulas that is compared; null where there is one.',
  }),
});

const FrontierSchema = z
  .object({
    x: AxisSchema,
    y: AxisSchema,
    workload: orNull(WorkloadChoiceSchema).openapi({ description: 'Null where no point has both figures.' }),
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
        links: z.object({ system: z.string().optional(), page: z.string() }),
      }),
    ),
    excluded: z.record(z.string(), z.number().int()).openapi({
      description: `${excludedDescription} beyond_limit: off the frontier and beyond the thousand best by y. off_frontier: with \`frontier_of\`, points that another of the same group beats.`,
    }),
    excluded_at_least: excludedAtLeastSchema,
  })
  .openapi('Frontier');

const getPareto = createRoute({
  method: 'get',
  path: '/v1/pareto',
  operationId: 'getPareto',
  tags: ['Leaderboard'],
  summary: 'Points by two metrics, and those that no other beats',
  description:
    'Every point of one workload that meets the filters and has both figures, by x. Without `workload` it is the one with the most systems. ' +
    shortDescription,
  request: {
    query: withPrices({
      x: metricSchema('x', [costName])
        .optional()
        .openapi({ description: `${xDefault} by default.`, example: xDefault }),
      y: metricSchema('y', [costName])
        .optional()
        .openapi({ description: `${yDefault} by default.`, example: yDefault }),
      frontier_of: z
        .enum(usedFacts, { error: `must be one of ${usedFacts.join(', ')}` })
        .optional()
        .openapi({
          description: 'Answers with the frontier of each model, GPU, quantization or engine instead of all points.',
          example: 'gpu',
        }),
      ...fullShape,
      ...definitionShape,
      ...countShape,
      ...filterShape,
      system: originShape.system,
      ...boundShape,
    }),
  },
  responses: {
    200: { description: 'The points.', content: { 'application/json': { schema: FrontierSchema } } },
    ...readProblems,
  },
});

export function paretoRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, getPareto, ['results']),
    async (c) => {
      const {
        x: xName = xDefault,
        y: yName = yDefault,
        definition = null,
        frontier_of: frontierOf = null,
        count,
        full,
        ...given
      } = c.req.valid('query');
      const metricOf = (name: string) => (name === costName ? costRate : requireMetric(name));
      const [x, y] = [metricOf(xName), metricOf(yName)];
      const costs = (['x', 'y'] as const).filter((axis) => (axis === 'x' ? xName : yName) === costName);
      const prices = costs.length === 0 ? null : await readPrices(deps, c.req.queries());
      await requireKnownValues(deps.database.db, c.req.queries());
      if (x.family.kind !== y.family.kind) {
        const message = `${x.name} is measured of ${x.family.kind} results, ${y.name} of ${y.family.kind} results: no point has both.`;
        throw new DomainError('request_invalid', message, [{ code: 'metrics_of_two_kinds', parameter: 'y', message }]);
      }
      const filters = { ...toFilters(given), ...(prices !== null && { prices: prices.gpus }) };
      const question = {
        ...{ x, y, definition, filters, costs, prices, frontierOf },
        ...{ countsAll: count === 'exact', isFull: full === 'true' },
      };
      return c.json(await findFrontier(deps, question, new URL(c.req.url).searchParams), 200);
    },
    refuse(getPareto, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
