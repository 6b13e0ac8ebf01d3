import type { Metric } from '@inferboard/core/metrics/index';
import { type BoardPage, BoardWalk, filteredSpreadPlaces, spreadPlaces } from '@inferboard/core/ranking/board';
import type { ChosenDefinitions } from '@inferboard/core/ranking/formulas';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { type Assumption, assumptionsByTool, type ToolScatter } from '@inferboard/core/ranking/tool-scatter';
import { isWalked, signOf } from '@inferboard/core/ranking/walked';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { type SQL, sql } from 'drizzle-orm';
import { mtokPerUsd } from '../catalogue/gpu-price.ts';
import { executeOften, value } from '../connection/statement.ts';
import { atOnce, type Queryable, type Transaction } from '../connection/transaction.ts';
import { ints, texts } from '../copy/bulk.ts';
import { preparedForMoment } from '../service/moment.ts';
import { streamRows } from '../service/snapshot-stream.ts';
import type { BoardScope } from './board-scope.ts';
import { ofAsked } from './count-systems.ts';
import { groupOf } from './derive.ts';
import { testedBy } from './figures.ts';
import { and } from './lists/filter-conditions.ts';
import { type Asking, isPlain, sourceOf, subjectOf, takesPart } from './source.ts';
import {
  type Ground,
  inRankOrder,
  isBetterFirst,
  type JsonColumns,
  jsonColumns,
  readColumns,
  type SelectedRow,
  type StoredEntry,
  type StoredRow,
  selectRows,
  toRow,
  type WalkQuestion,
} from './stored-row.ts';
import { walkFigures } from './walk-figures.ts';

/** Statuses that are listed without a rank if included. */
const withoutNumber: readonly ResultStatus[] = ['provisional', 'simulated', 'not_repetitions'];

/** The filtered statuses, either ranked or unranked ones. */
export function statusesOf({ filters }: Pick<Asking, 'filters'>, isRanked: boolean): ResultStatus[] {
  const asked: ResultStatus[] = ['accepted', ...filters.include];
  return asked.filter((status) => withoutNumber.includes(status) !== isRanked);
}

const scatterOf = preparedForMoment<{ name: string; group: string | null }, ToolScatter>(sql`
  select tool, sum(squares)::double precision as squares, sum(df)::int as df, sum(groups)::int as groups
  from tool_scatter
  where metric = ${value('name')} and (${value('group')}::text is null or definition_group = ${value('group')}::text)
  group by 1`);

/** Reads the scatter of each tool's repetitions, for values that are ranked together. Filters do not change it. */
export async function readScatter(
  db: Queryable,
  metric: Metric,
  chosen: ChosenDefinitions | null,
): Promise<ReadonlyMap<string, Assumption>> {
  const { name, family } = metric;
  const column = sql`c.${sql.identifier(name)}`;
  const spread = (at: number) => sql`(c.spreads -> ${name} ->> ${sql.raw(String(at))})::double precision`;
  if (isWalked(metric)) return assumptionsByTool(await scatterOf(db, { name, group: chosen?.group ?? null }));
  const counted = sql`
    select tools[1] as tool, sum((n - 1) * (sd / value) ^ 2) as squares, sum(n - 1)::int as df, count(*)::int as groups
    from (
      select ${column} as value, ${spread(0)} as n, ${spread(1)} as sd,
        coalesce((select array_agg(tool) from jsonb_array_elements_text(c.spreads -> ${name} -> 2) tool), c.tools) as tools
      from point_statistics c
      where c.stands and c.status = 'accepted' and ${column} > 0 and c.spreads ? ${name}
        and ${chosen === null ? sql`true` : sql`${groupOf(family, sql`c`)} = ${chosen.group}`}) q
    where n >= 2 and sd is not null and cardinality(tools) = 1
    group by 1`;
  return assumptionsByTool((await db.execute(counted)) as unknown as ToolScatter[]);
}

/** Dimensions of which each system has one value. Boards of such subjects need only the best row of each system. */
const isOfSystem = (dimension: Dimension) => dimension !== 'load' && dimension !== 'scenario';

/** The boards of the ranked metric. */
const rankedBoards = ({ boards }: BoardScope) => boards.filter(({ metric }) => metric !== '').map(({ id }) => id);

/** Conditions that limit rows to the chosen boards. */
export function onBoards(asking: Asking, scope: BoardScope): SQL {
  const [metric] = asking.metrics;
  const compared = ofAsked(asking.metrics, scope.chosen);
  if (metric === undefined || !isWalked(metric))
    return and([sql`r.workload = any(${texts(scope.workloads)})`, compared]);
  const ids = rankedBoards(scope);
  const [id] = ids;
  // A single board is walked in index order; several boards are sorted.
  const which = ids.length === 1 && id !== undefined ? sql`r.board_id = ${id}` : sql`r.board_id = any(${ints(ids)})`;
  return asking.metrics.length === 1 ? which : and([which, compared]);
}

/** Rows of the first read. On most boards, they contain a page and its rank ranges. */
const firstRows = 400;
/** Rows of the second read. With both reads, a board without filters has the places that its rank ranges count. */
const secondRows = 800;
/** Rows per later read. */
const chunkRows = 400;
const lasts_ms = 5 * 60_000;

/**
 * Walks the chosen boards in rank order until a page is complete: first ranked entries, then unranked ones.
 *
 * @param page null for all entries
 */
export async function walkBoard(
  tx: Transaction,
  question: WalkQuestion,
  scope: BoardScope,
  page: BoardPage | null,
): Promise<StoredEntry[]> {
  const [metric] = question.metrics;
  if (metric === undefined || scope.workloads.length === 0) return [];
  const { order } = question;
  const scatter = readScatter(tx, metric, scope.chosen[0] ?? null);
  // Awaited with the first rows of a walk.
  scatter.catch(() => {});
  const on = onBoards(question, scope);
  // `reach` is stored in the metric's unit, not in tokens per dollar.
  const findsWide = isWalked(metric) && isBetterFirst(metric, order) && question.filters.prices === undefined;
  const places = isPlain(question) ? spreadPlaces : filteredSpreadPlaces;
  const entries: StoredEntry[] = [];
  for (const isRanked of [true, false]) {
    const statuses = statusesOf(question, isRanked);
    const isFull = page !== null && entries.length > page.limit;
    const isBehind = page?.after !== null && page?.after?.isRanked === false && isRanked;
    if (statuses.length === 0 || isFull || isBehind) continue;
    const ground = { question, metric, statuses, on, boards: rankedBoards(scope) };
    const start = async () =>
      new BoardWalk<StoredRow>({ order, isRanked, page, byTool: await scatter, places, findsWide });
    const walk =
      (await walkFigures(tx, start, { ...ground, scope, page, places })) ?? (await follow(tx, start, ground));
    const unreached = walk.unreached();
    const isReached = unreached === null || (await hasWide(tx, ground, walk, unreached));
    entries.push(...walk.entries({ isReached }));
  }
  return page === null ? entries : entries.slice(0, page.limit + 1);
}

/** Maximum rows with wide intervals to test, and maximum subjects of them to compare with those of the walk. */
const wideRowsMost = 200;
const wideMost = 100;

/** Whether a subject after the walk may have a wide interval that overlaps the page. Counts rows that cannot be tested here. */
async function hasWide(
  tx: Transaction,
  { question, metric, statuses, boards }: Ground,
  walk: BoardWalk<StoredRow>,
  { last, end }: { last: number; end: number },
): Promise<boolean> {
  const sign = signOf(metric);
  const tested = testedBy(question, statuses, sql`r`);
  const where = tested?.where ?? [sql`r.status = any(${texts(statuses)})`];
  const [answer] = await executeOften<{ rows: number; systems: string[] }>(
    tx,
    sql`
    with read as materialized (
      select * from board_rows
      where board_id = any(${ints(boards)}) and reach >= ${sign * end} and worth <= ${sign * last}
      limit ${sql.raw(String(wideRowsMost))})
    select (select count(*)::int from read) as rows, array(
      select distinct r.system_id from read r ${tested?.joins ?? sql``} where ${and(where)}
      limit ${sql.raw(String(wideMost))}) as systems`,
  );
  const { rows, systems: found } = answer ?? { rows: 0, systems: [] };
  if (rows === wideRowsMost) return true;
  if (question.subject !== 'system' || found.length === wideMost) return found.length > 0;
  return !found.every((system) => walk.has(system));
}

/** Walks in index order: reads the first rows directly, and the rest through a cursor if needed. */
async function follow(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { question, metric, statuses, on }: Ground,
): Promise<BoardWalk<StoredRow>> {
  const { order, subject } = question;
  const source = sourceOf(question, statuses);
  const isFirst = isBetterFirst(metric, order);
  const best = source.isOfSystems && isFirst && isOfSystem(subject) ? sql`r.is_best` : takesPart(question, source);
  const { prices } = question.filters;
  // Boards by tokens per dollar are sorted, because each request may have other prices. Zero throughput has no cost.
  const scale = prices === undefined ? null : mtokPerUsd(prices);
  const where = [...source.where, on, best, ...(prices === undefined ? [] : [sql`r.worth > 0`])];
  const form = { metric, subject: subject === 'system' ? null : subjectOf(subject), scale };
  const rows = sql`from ${source.from} where ${and(where)} order by ${inRankOrder(isFirst ? 'desc' : 'asc', scale)}`;
  const readFrom = async (offset: number, most: number) => {
    const part = sql`${rows} offset ${sql.raw(String(offset))} limit ${sql.raw(String(most))}`;
    const [columns] = await executeOften<JsonColumns>(tx, jsonColumns(form, part));
    return readColumns(columns);
  };
  const [walk, first] = await atOnce([start(), readFrom(0, firstRows)]);
  if (!walk.take(first)) return walk;
  const second = first.length < firstRows ? [] : await readFrom(firstRows, secondRows);
  if (!walk.take(second)) return walk;
  if (second.length === secondRows) {
    // Rows arrive in index order and only the first are needed, so optimize for a fast start.
    await tx.execute(sql`set local cursor_tuple_fraction = 0.0001`);
    const others = selectRows(form, sql`${rows} offset ${sql.raw(String(firstRows + secondRows))}`);
    for await (const chunk of streamRows<SelectedRow>(tx, others, { chunkRows, lasts_ms })) {
      if (!walk.take(chunk.map(toRow))) return walk;
    }
  }
  walk.end();
  return walk;
}
