import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { boundShape, countShape, definitionShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric } from '@inferboard/core/metrics/index';
import { dimensions } from '@inferboard/core/ranking/subject';
import type { MatrixCell } from '@inferboard/db/boards/lists/matrix-list';
import type { Deps } from '../deps.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, readProblems } from '../schemas/common.ts';
import { orText, pageOfRequest, tableFormatShape } from '../schemas/format.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import {
  ListedLoadSchema,
  ListedScenarioSchema,
  ListedSystemSchema,
  ListedWorkloadSchema,
} from '../schemas/subjects.ts';
import { textOfMatrix } from '../short/chart-text.ts';
import { shortCell } from '../short/short-views.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import { SourceSchema, TrustSchema } from '../submissions/actions/result-schema.ts';
import {
  AccountChoiceSchema,
  ChoiceSchema,
  excludedAtLeastSchema,
  excludedDescription,
  orNull,
  RankChoiceSchema,
  WorkloadChoiceSchema,
} from './choice-schema.ts';
import { requireKnownValues, unknownValueFaults } from './known-values.ts';
import { readMatrix, viewCell } from './read-matrix.ts';

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
    metric_choice: RankChoiceSchema.openapi({ description: 'Why this metric was chosen.' }),
    workload: orNull(WorkloadChoiceSchema).openapi({
      description: 'Null if rows or columns are scenarios or workloads: then each cell has its own.',
    }),
    definition: orNull(ChoiceSchema).openapi({
      description: 'The group of formulas that is compared; null if there is only one.',
    }),
    account: orNull(AccountChoiceSchema).openapi({
      description: 'Null if the systems name their model, GPU and quantization.',
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
                description: 'The publication, if an operator imported it. A short response omits it.',
              }),
              links: z.object({ system: z.string().optional(), page: z.string() }),
            })
            .nullable(),
        ),
      )
      .openapi({ description: 'By row, then by column; null if there is no measurement.' }),
    excluded: z.record(z.string(), z.number().int()).openapi({
      description: excludedDescription,
    }),
    excluded_at_least: excludedAtLeastSchema,
  })
  .openapi('Matrix');

/** Parameters of both the matrix and its exports. */
export const matrixQuery = z.strictObject({
  rows: DimensionSchema.optional().openapi({ description: 'Default: model, or gpu if the columns are models.' }),
  columns: DimensionSchema.optional().openapi({ description: 'Default: gpu, or model if the rows are GPUs.' }),
  metric: metricSchema('metric').optional().openapi({
    description: 'Default: the first default metric that enough systems of the workload have.',
    example: 'decode_tok_s',
  }),
  order: z.enum(['asc', 'desc'], { error: 'must be asc or desc' }).optional().openapi({
    description: 'Which value a cell shows: the lowest (asc) or the highest (desc). Default: the better one.',
  }),
  ...definitionShape,
  ...filterShape,
  ...boundShape,
});

/**
 * Builds the matrix request from the query.
 *
 * @throws DomainError `request_invalid` if rows and columns are the same dimension
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
  if (name !== undefined && metric === null) throw new Error(`the schema accepted the unknown metric ${name}`);
  if (rows === columns) {
    const message = `Rows and columns are both ${rows}: a matrix needs two facts.`;
    throw new DomainError('request_invalid', message, [{ code: 'fact_repeated', parameter: 'columns', message }]);
  }
  return { rows, columns, metric, order, definition, filters: toFilters(given) };
}

const matrixText =
  'decode_tok_s in tg128-offline\n\nmodel        RTX PRO 6000\nLlama 2 7B    260.4 tok/s\n\nPage: http://localhost:8787/matrix\n';

const getMatrix = createRoute({
  method: 'get',
  path: '/v1/matrix',
  operationId: 'getMatrix',
  tags: ['Leaderboard'],
  summary: 'Get a matrix: a metric by two facts',
  description:
    'A cell never mixes workloads: a matrix by scenario shows each scenario in its regime with the most systems; other matrices have one workload. Without `workload`, it is the one with the most cells to compare: cells with another cell in their row and in their column. ' +
    'A matrix never mixes values of formulas that cannot be compared; `definition` names the formula. ' +
    shortDescription,
  request: {
    query: matrixQuery.extend({ ...countShape, ...fullShape, ...tableFormatShape }),
  },
  responses: {
    ...orText({ 200: json('The matrix.', MatrixSchema) }, matrixText),
    ...readProblems,
  },
});

export function matrixRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getMatrix, ['results']),
    async (c) => {
      const { full, count, format, ...query } = c.req.valid('query');
      const question = { ...toMatrixQuestion(query), countsAll: count === 'exact' };
      await requireKnownValues(deps.database.db, c.req.queries());
      const { searchParams } = new URL(c.req.url);
      const view = (cell: MatrixCell, base: string) => (full === 'true' ? viewCell(cell, base) : shortCell(cell, base));
      const matrix = await readMatrix(deps, question, searchParams, view);
      if (format !== 'text') return c.json(matrix, 200);
      return c.text(textOfMatrix(matrix, pageOfRequest(deps.publicUrl, '/matrix', searchParams)), 200);
    },
    refuse(getMatrix, (c) => unknownValueFaults(deps.database.db, c.req.queries())),
  );
}
