import { createRoute, z } from '@hono/zod-openapi';
import { boundedMetrics } from '@inferboard/core/filters/bounds';
import { boundShape, countShape, definitionShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric, metricNames } from '@inferboard/core/metrics/index';
import type { EntryPlace } from '@inferboard/core/ranking/board';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { type BoardQuestion, listLeaderboard } from '@inferboard/db/boards/lists/leaderboard-list';
import { poolFor } from '@inferboard/db/boards/pool';
import { fieldsShape } from '../conventions/fields.ts';
import type { Deps } from '../deps.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../http/cursor.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { withPrices } from '../prices/prices-schema.ts';
import {
  costName,
  costRate,
  costUnit,
  type Pricing,
  readPrices,
  viewCost,
  viewPrices,
} from '../prices/requested-prices.ts';
import { cached } from '../response-cache/cached.ts';
import { json, limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { orText, tableFormatShape } from '../schemas/format.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { textOfBoard } from '../short/board-text.ts';
import { shortChoice, shortEntry } from '../short/short-views.ts';
import { fullShape, shortDescription } from '../submissions/actions/full-schema.ts';
import { viewEntry } from '../views.ts';
import { otherwise, viewDefinitionChoice, viewRankChoice, viewWorkloadChoice, workloadNames } from './choice-views.ts';
import { requireKnownValues, unknownValueFaults } from './known-values.ts';
import { EntrySchema, LeaderboardSchema } from './leaderboard-schema.ts';
import { betterOrder, resolveRank, turned } from './resolve-rank.ts';

/** Parameters of both the pages and the exports of a board, in addition to prices. */
const leaderboardShape = {
  rank_by: metricSchema('rank_by', [costName])
    .optional()
    .openapi({
      description: `Metric to rank by. Default: the first of ${preferredRanks.join(', ')} that at least 60 % of the systems under the filters have, or else the one that most have. A latency without a statistic means its mean. ${costName} ranks by the cost of a million output tokens at the prices in \`prices\`.`,
      example: 'decode_tok_s',
    }),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .optional()
    .openapi({ description: 'Which values come first. Default: the better ones.' }),
  ...definitionShape,
  ...filterShape,
  ...boundShape,
};

export const leaderboardQuery = withPrices(leaderboardShape);

/** A board request; the metric is optional. */
export interface AskedBoard extends Omit<BoardQuestion, 'rankBy' | 'order'> {
  rankBy: Metric | null;
  order: BoardQuestion['order'] | null;
  /** Prices, if the board ranks by cost: it then ranks tokens per GPU, in the order that the prices imply. */
  pricing: Pricing | null;
}

/** Builds the board request from the query. */
export async function toAskedBoard(
  deps: Pick<Deps, 'database' | 'prices'>,
  query: z.output<typeof leaderboardQuery>,
  written: Record<string, string[]>,
): Promise<AskedBoard> {
  const { rank_by, order = null, definition = null, ...given } = query;
  if (rank_by === costName) {
    const byGpu = await readPrices(deps, written);
    const filters = { ...toFilters(given), prices: byGpu.gpus };
    return { rankBy: costRate, order: order && turned(order), definition, filters, pricing: { byGpu } };
  }
  const rankBy = rank_by === undefined ? null : findMetric(rank_by);
  if (rank_by !== undefined && rankBy === null) throw new Error(`the schema accepted the unknown metric ${rank_by}`);
  return { rankBy, order, definition, filters: toFilters(given), pricing: null };
}

const leaderboardFields = fieldsShape(EntrySchema, 'rank,value,system.model.name,system.gpu.name');

const textExample = `Ranked by output_tok_s_per_gpu in chatbot-steady

Rank  Value ± 95 %  Unit   n  System                                   Load          Source
   1    1,240 ± 12  tok/s  4  Llama 3.1 8B, fp8, H100 SXM, vLLM 0.11.0  8 concurrent  self_reported
   2         1,180  tok/s  1  Llama 3.1 8B, fp8, H100 SXM, vLLM 0.10.2  8 concurrent  self_reported

Page: http://localhost:8787/?workload=chatbot-steady
`;

const getLeaderboard = createRoute({
  method: 'get',
  path: '/v1/leaderboard',
  operationId: 'getLeaderboard',
  tags: ['Leaderboard'],
  summary: 'Get the leaderboard: each system at its best point',
  description:
    'Ranks each system by its best point under the constraints. Systems whose 95 % intervals overlap share a rank. `excluded` counts the omitted points by reason. ' +
    'Results of different workloads are never ranked together, and neither are values of formulas that cannot be ' +
    'compared. `workload` and `definition` state what is ranked and why, and list the alternatives. ' +
    `${shortDescription} Its metrics are those that the question bounds. The ranked one is the value.`,
  request: {
    query: withPrices({
      ...leaderboardShape,
      ...pageShape,
      ...countShape,
      ...fullShape,
      ...leaderboardFields,
      ...tableFormatShape,
    }),
  },
  responses: {
    ...orText({ 200: json('The board.', LeaderboardSchema) }, textExample),
    ...readProblems,
  },
});

const CursorSchema = z.strictObject({
  place: z.tuple([z.boolean(), z.number(), z.boolean(), z.string().max(100)]),
  rankBy: z.enum(metricNames),
  workload: z.string().max(300).nullable(),
  definition: z.string().max(100).nullable(),
});

function toPlace({ place: [isRanked, key, isDisputed, system] }: z.output<typeof CursorSchema>): EntryPlace {
  return { isRanked, key, isDisputed, system };
}

/** The page of a board, and the next page of its text. */
function pagesOf(base: string, asked: URLSearchParams, cursor: string | null): { page: string; next: string | null } {
  const query = new URLSearchParams(asked);
  for (const name of ['format', 'fields', 'full', 'count', 'cursor']) query.delete(name);
  const page = query.size === 0 ? `${base}/` : `${base}/?${query}`;
  if (cursor === null) return { page, next: null };
  query.set('format', 'text');
  query.set('cursor', cursor);
  return { page, next: `${base}/v1/leaderboard?${query}` };
}

export function leaderboardRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getLeaderboard, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, count, full, fields, format, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const asked = await toAskedBoard(deps, given, c.req.queries());
      const { pricing } = asked;
      const db = poolFor(deps.database, {
        metrics: asked.rankBy === null ? [] : [asked.rankBy],
        filters: asked.filters,
      });
      const isText = format === 'text';
      const isFull = full === 'true' || fields !== undefined || isText;
      const shorten = full === 'true' ? <T>(choice: T) => choice : shortChoice;
      const before = decodeCursor(c.req.url, CursorSchema);
      const pinned = before && { rankBy: findMetric(before.rankBy) as Metric, workload: before.workload };
      const resolved = await resolveRank(db, { ...asked, dimensions: ['system'] }, pinned);
      const { rankBy, choice, filters } = resolved;
      const order = asked.order ?? betterOrder(rankBy);
      const shown = [rankBy.name, ...boundedMetrics(filters)] as const;
      const board = await listLeaderboard(db, {
        rankBy,
        order,
        filters,
        definition: asked.definition,
        countsAll: count === 'exact',
        chosen: before?.definition ?? null,
        limit,
        after: before === null ? null : toPlace(before),
        shown: isFull ? null : shown,
      });
      const last = board.hasMore ? board.rows.at(-1) : undefined;
      const workload = board.workload && { ...board.workload, ...resolved.workload };
      const { searchParams } = new URL(c.req.url);
      const self = `${deps.publicUrl}/v1/leaderboard`;
      const position = last && {
        place: [last.place.isRanked, last.place.key, last.place.isDisputed, last.place.system],
        rankBy: rankBy.name,
        workload: workload?.id ?? null,
        definition: board.definition?.id ?? null,
      };
      const answer = {
        rank_by: pricing === null ? rankBy.name : costName,
        order: pricing === null ? order : turned(order),
        unit: pricing === null ? rankBy.family.unit : costUnit,
        rank_by_choice: shorten(
          viewRankChoice(
            pricing === null ? choice : { ...choice, id: costName },
            otherwise(self, searchParams, 'rank_by'),
            resolved.workload,
          ),
        ),
        workload: shorten(
          viewWorkloadChoice(workload, otherwise(self, searchParams, 'workload', workloadNames), asked.filters),
        ),
        definition: shorten(
          viewDefinitionChoice(
            board.definition,
            otherwise(self, searchParams, 'definition'),
            asked.definition !== null,
          ),
        ),
        ...viewPrices(
          pricing,
          board.rows.map(({ system }) => system),
        ),
        data: board.rows.map((row) => ({
          ...(row.isFull
            ? viewEntry(row, rankBy.name, deps.publicUrl)
            : shortEntry(row, shown, deps.publicUrl, pricing !== null)),
          ...(pricing !== null && viewCost(pricing, row)),
        })),
        excluded: board.excluded,
        excluded_at_least: board.isExcludedAtLeast,
        imported: board.imported,
        imported_at_least: board.isImportedAtLeast,
        next_cursor: position === undefined ? null : encodeCursor(c.req.url, position),
      };
      if (!isText) return c.json(answer, 200);
      const shownPage = {
        hasIntervals: pricing === null,
        ...pagesOf(deps.publicUrl, searchParams, answer.next_cursor),
      };
      return c.text(textOfBoard(answer, shownPage), 200);
    },
    refuse(getLeaderboard, async (c) => [
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
