import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, countShape, definitionShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { dimensions } from '@inferboard/core/ranking/subject';
import type { MatrixCell } from '@inferboard/db/queries/matrix-list';
import { readMatrix, viewCell } from '../actions/read-matrix.ts';
import { kept } from '../answer-cache/keep.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import {
  AccountChoiceSchema,
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  orNull,
  WorkloadChoiceSchema,
} from '../schemas/choice.ts';
import { readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
  SourceSchema,
  TrustSchema,
} from '../schemas/result.ts';
import { shortCell } from '../short/short-views.ts';

const DimensionSchema = z.enum(dimensions, { error: `must be one of ${dimensions.join(', ')}` });

const SideSchema = z.object({
  dimension: z.enum(dimensions),
  headings: z.array(z.object({ id: z.string(), title: z.string() })),
});

const MatrixSchema = z
  .object({
    metric: z.string(),
    unit: z.string(),
    order: z.enum(['asc', 'desc']),
    metric_choice: ChoiceSchema.openapi({ description: 'Why it is of this metric.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({
      description: 'Null where rows or columns are scenarios or workloads: then each cell has its own.',
    }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is compared; null where there is one.',
    }),
    account: orNull(AccountChoiceSchema).openapi({
      description: 'Null where the systems name their model, GPU and quantization.',
    }),
    rows: SideSchema,
    columns: SideSchema,
    cells: z
      .array(
        z.array(
          z
            .object({
              value: z.number(),
              statistics: z.object({
                n: z.number().int().nullable(),
                ci95: z.tuple([z.number(), z.number()]).nullable(),
              }),
              system: ListedSystemSchema,
              scenario: ListedScenarioSchema,
              workload: ListedWorkloadSchema,
              load: ListedLoadSchema,
              trust: TrustSchema,
              findings: z.number().int(),
              warnings: z.number().int().optional(),
              source: orNull(SourceSchema).optional().openapi({
                description:
                  'Where it was published, if an operator imported it from there. A short answer leaves it out.',
              }),
              links: z.object({ system: z.string().optional(), page: z.string() }),
            })
            .nullable(),
        ),
      )
      .openapi({ description: 'By row, then by column; null where nobody measured.' }),
    excluded: z.record(z.string(), z.number().int()).openapi({
      description: excludedDescription,
    }),
    excluded_at_least: excludedAtLeastSchema,
  })
  .openapi('Matrix');

/** What both the matrix and its exports can be asked. */
export const matrixQuery = z.strictObject({
  rows: DimensionSchema.optional().openapi({ description: 'model by default, or gpu where the columns are models.' }),
  columns: DimensionSchema.optional().openapi({ description: 'gpu by default, or model where the rows are GPUs.' }),
  metric: metricSchema('metric')
    .optional()
    .openapi({ description: 'By default what most of the systems under the filters have.', example: 'decode_tok_s' }),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .optional()
    .openapi({ description: 'Which end of the values a cell shows; the better one by default.' }),
  ...definitionShape,
  ...filterShape,
  ...boundShape,
});

/**
 * The matrix that is asked for.
 *
 * @throws DomainError `request_invalid` where rows and columns are the same fact
 */
export function toMatrixQuestion(query: z.output<typeof matrixQuery>) {
  const {
    rows = query.columns === 'model' ? 'gpu' : 'model',
    columns = rows === 'gpu' ? 'model' : 'gpu',
    metric: name,
    order = null,
    definition = null,
    ...given
  } = query;
  const metric = name === undefined ? null : findMetric(name);
  if (name !== undefined && metric === null) throw new Error(`the schema let ${name} pass`);
  if (rows === columns) {
    const message = `Rows and columns are both ${rows}: a matrix needs two facts.`;
    throw new DomainError('request_invalid', message, [{ code: 'fact_repeated', parameter: 'columns', message }]);
  }
  return { rows, columns, metric, order, definition, filters: toFilters(given) };
}

const getMatrix = createRoute({
  method: 'get',
  path: '/v1/matrix',
  operationId: 'getMatrix',
  tags: ['Leaderboard'],
  summary: 'A metric by two facts: the best point of every row and column',
  description:
    'A cell never mixes workloads: a matrix by scenario shows each in its regime with the most systems, any other is of one workload. ' +
    'A matrix never mixes values of formulas that cannot be compared; `definition` names the formula it shows. ' +
    shortDescription,
  request: {
    query: matrixQuery.extend({ ...countShape, ...fullShape }),
  },
  responses: {
    200: { description: 'The matrix.', content: { 'application/json': { schema: MatrixSchema } } },
    ...readProblems,
  },
});

export function matrixRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, getMatrix, ['results']),
    async (c) => {
      const { full, count, ...query } = c.req.valid('query');
      const question = { ...toMatrixQuestion(query), countsAll: count === 'exact' };
      await requireKnownValues(deps.database.db, c.req.queries());
      const { searchParams } = new URL(c.req.url);
      const view = (cell: MatrixCell, base: string) => (full === 'true' ? viewCell(cell, base) : shortCell(cell, base));
      return c.json(await readMatrix(deps, question, searchParams, view), 200);
    },
    refuse(getMatrix, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
