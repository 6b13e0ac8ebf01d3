import { createRoute, z } from '@hono/zod-openapi';
import { boundShape, countShape, definitionShape, filterShape, toFilters } from '@inferboard/core/filters/parameters';
import { findMetric, type Metric, metricNames } from '@inferboard/core/metrics/index';
import type { EntryPlace } from '@inferboard/core/ranking/board';
import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { type BoardQuestion, listLeaderboard } from '@inferboard/db/queries/leaderboard-list';
import { betterOrder, settleRank, turned } from '../actions/settle-board.ts';
import { kept } from '../answer-cache/keep.ts';
import { costName, costRate, costUnit, type Pricing, readPrices, viewCost, viewPrices } from '../asked-prices.ts';
import { otherwise, viewDefinitionChoice, viewRankChoice, viewWorkloadChoice, workloadNames } from '../choice-views.ts';
import { cursorFaults, decodeCursor, encodeCursor } from '../cursor.ts';
import type { Deps } from '../deps.ts';
import { requireKnownValues, unknownValueFaults } from '../known-values.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { limitDefault, pageShape, readProblems } from '../schemas/common.ts';
import { fullShape, shortDescription } from '../schemas/full.ts';
import { LeaderboardSchema } from '../schemas/leaderboard.ts';
import { metricSchema } from '../schemas/metric-name.ts';
import { withPrices } from '../schemas/prices.ts';
import { shortChoice, shortEntry } from '../short/short-views.ts';
import { viewEntry } from '../views.ts';

/** What both the pages and the exports of a board can be asked, beside prices. */
const leaderboardShape = {
  rank_by: metricSchema('rank_by', [costName])
    .optional()
    .openapi({
      description: `Metric to rank by. By default the first of ${preferredRanks.join(', ')} that at least 60 % of the systems under the filters have, or else the one that most have. A bare latency means its mean. ${costName} ranks by what a million output tokens cost at the prices of \`prices\`.`,
      example: 'decode_tok_s',
    }),
  order: z
    .enum(['asc', 'desc'], { error: 'must be asc or desc' })
    .optional()
    .openapi({ description: 'Which values come first; the better ones by default.' }),
  ...definitionShape,
  ...filterShape,
  ...boundShape,
};

export const leaderboardQuery = withPrices(leaderboardShape);

/** A board as it is asked for: what it ranks by may be left to it. */
export interface AskedBoard extends Omit<BoardQuestion, 'rankBy' | 'order'> {
  rankBy: Metric | null;
  order: BoardQuestion['order'] | null;
  /** Prices, where cost is ranked: by the rate of tokens per GPU, in the order that the prices give it. */
  pricing: Pricing | null;
}

/** The board that is asked for. */
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
  if (rank_by !== undefined && rankBy === null) throw new Error(`the schema let ${rank_by} pass`);
  return { rankBy, order, definition, filters: toFilters(given), pricing: null };
}

const getLeaderboard = createRoute({
  method: 'get',
  path: '/v1/leaderboard',
  operationId: 'getLeaderboard',
  tags: ['Leaderboard'],
  summary: 'Each system at its best point under the constraints, ranked',
  description:
    'Systems whose 95 % intervals overlap share a rank. `excluded` counts the points that were left out, by reason. ' +
    'Results of different workloads are never ranked together, and neither are values made by formulas that cannot be ' +
    'compared: `workload` and `definition` name what is ranked, why, and the alternatives. ' +
    `${shortDescription} Of the metrics it has those that the question bounds, beside the ranked one, which is the value.`,
  request: {
    query: withPrices({ ...leaderboardShape, ...pageShape, ...countShape, ...fullShape }),
  },
  responses: {
    200: { description: 'The board.', content: { 'application/json': { schema: LeaderboardSchema } } },
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

export function leaderboardRoutes(deps: Deps) {
  const { db } = deps.database.reads;
  return createRouter().openapi(
    kept(deps, getLeaderboard, ['results']),
    async (c) => {
      const { limit = limitDefault, cursor: _, count, full, ...given } = c.req.valid('query');
      await requireKnownValues(deps.database.db, c.req.queries(), cursorFaults(c.req.url, CursorSchema));
      const asked = await toAskedBoard(deps, given, c.req.queries());
      const { pricing } = asked;
      const isFull = full === 'true';
      const told = isFull ? <T>(choice: T) => choice : shortChoice;
      const before = decodeCursor(c.req.url, CursorSchema);
      const pinned = before && { rankBy: findMetric(before.rankBy) as Metric, workload: before.workload };
      const settled = await settleRank(db, { ...asked, dimensions: ['system'] }, pinned);
      const { rankBy, choice, filters } = settled;
      const order = asked.order ?? betterOrder(rankBy);
      const shown = [rankBy.name, ...filters.bounds.map(({ metric }) => metric)] as const;
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
      const workload = board.workload && { ...board.workload, ...settled.workload };
      const { searchParams } = new URL(c.req.url);
      const self = `${deps.publicUrl}/v1/leaderboard`;
      const position = last && {
        place: [last.place.isRanked, last.place.key, last.place.isDisputed, last.place.system],
        rankBy: rankBy.name,
        workload: workload?.id ?? null,
        definition: board.definition?.id ?? null,
      };
      return c.json(
        {
          rank_by: pricing === null ? rankBy.name : costName,
          order: pricing === null ? order : turned(order),
          unit: pricing === null ? rankBy.family.unit : costUnit,
          rank_by_choice: told(
            viewRankChoice(
              pricing === null ? choice : { ...choice, id: costName },
              otherwise(self, searchParams, 'rank_by'),
              settled.workload?.systems ?? null,
            ),
          ),
          workload: told(
            viewWorkloadChoice(workload, otherwise(self, searchParams, 'workload', workloadNames), asked.filters),
          ),
          definition: told(
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
            ...(isFull
              ? viewEntry(row, rankBy.name, deps.publicUrl)
              : shortEntry(row, shown, deps.publicUrl, pricing !== null)),
            ...(pricing !== null && viewCost(pricing, row)),
          })),
          excluded: board.excluded,
          excluded_at_least: board.isExcludedAtLeast,
          imported: board.imported,
          imported_at_least: board.isImportedAtLeast,
          next_cursor: position === undefined ? null : encodeCursor(c.req.url, position),
        },
        200,
      );
    },
    refuse(getLeaderboard, async (c) => [
      ...(await unknownValueFaults(deps.database.db, c.req.queries())),
      ...cursorFaults(c.req.url, CursorSchema),
    ]),
  );
}
