import type { Metric } from '@inferboard/core/metrics/index';
import { type BoardEntry, type BoardPage, BoardWalk, type Order, type WalkedRow } from '@inferboard/core/ranking/board';
import type { ChosenDefinitions } from '@inferboard/core/ranking/formulas';
import type { Dimension } from '@inferboard/core/ranking/subject';
import { type Assumption, assumptionsByTool, type ToolScatter } from '@inferboard/core/ranking/tool-scatter';
import { isWalked, signOf } from '@inferboard/core/ranking/walked';
import { type ResultStatus, resultStatuses } from '@inferboard/core/result';
import { type SQL, sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import { and } from '../queries/filter-conditions.ts';
import { mtokPerUsd } from '../queries/gpu-price.ts';
import { streamRows } from '../queries/snapshot-stream.ts';
import type { Queryable, Transaction } from '../transaction.ts';
import { groupOf } from './derive.ts';
import type { RowKey } from './row-key.ts';
import { comparedWith, type SettledBoard } from './settle.ts';
import { type Asking, sourceOf, subjectOf, takesPart } from './source.ts';

/** A row on its way onto a board, and where its statistics are stored. */
export type StoredRow = WalkedRow &
  RowKey & {
    /** What its value and deviation were multiplied by for the board: 1, or what makes a rate tokens per dollar. */
    scale: number;
  };

export type StoredEntry = BoardEntry<StoredRow>;

/** Standings that are listed without a number where they are included: their results do not rank. */
const withoutNumber: readonly ResultStatus[] = ['provisional', 'simulated', 'not_repetitions'];

/** Statuses that filters let through, of those with a number or of the others. */
export function statusesOf({ filters }: Pick<Asking, 'filters'>, isRanked: boolean): ResultStatus[] {
  const asked: ResultStatus[] = ['accepted', ...filters.include];
  return asked.filter((status) => withoutNumber.includes(status) !== isRanked);
}

/** How much repetitions scatter with each tool, by the values that are ranked together. Whatever a board filters, it is the same. */
export async function readScatter(
  db: Queryable,
  metric: Metric,
  chosen: ChosenDefinitions | null,
): Promise<ReadonlyMap<string, Assumption>> {
  const { name, family } = metric;
  const column = sql`c.${sql.identifier(name)}`;
  const spread = (at: number) => sql`(c.spreads -> ${name} ->> ${sql.raw(String(at))})::double precision`;
  const kept = sql`
    select tool, sum(squares)::double precision as squares, sum(df)::int as df, sum(groups)::int as groups from tool_scatter
    where metric = ${name} and ${chosen === null ? sql`true` : sql`definition_group = ${chosen.group}`}
    group by 1`;
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
  const rows = (await db.execute(isWalked(metric) ? kept : counted)) as unknown as ToolScatter[];
  return assumptionsByTool(rows);
}

/** Subjects that each system has one of: a board of them needs no row of a system but its best. */
const isOfSystem = (dimension: Dimension) => dimension !== 'load' && dimension !== 'scenario';

const turned = (order: Order) => sql.raw(order);

/** Boards of a metric that take part, by their ids. */
async function findBoards(
  db: Queryable,
  { kind, metrics: [metric] }: Asking,
  { workloads, chosen: [chosen = null] }: Pick<SettledBoard, 'workloads' | 'chosen'>,
): Promise<number[]> {
  const rows = (await db.execute(sql`
    select id from boards
    where metric = ${metric?.name ?? ''} and kind = ${kind} and workload = any(${texts(workloads)})
      and ${chosen === null ? sql`true` : sql`definition_group = ${chosen.group}`}`)) as unknown as { id: number }[];
  return rows.map(({ id }) => id);
}

/** Conditions that hold rows to the boards that were settled on. */
export async function onBoards(db: Queryable, asking: Asking, settled: SettledBoard): Promise<SQL> {
  const [metric] = asking.metrics;
  const compared = comparedWith(asking.metrics, settled.chosen);
  if (metric === undefined || !isWalked(metric))
    return and([sql`r.workload = any(${texts(settled.workloads)})`, compared]);
  const ids = await findBoards(db, asking, settled);
  const [id] = ids;
  // One board is walked in its order; several are sorted.
  const which =
    ids.length === 1 && id !== undefined
      ? sql`r.board_id = ${id}`
      : sql`r.board_id = any(${`{${ids.join(',')}}`}::int[])`;
  return asking.metrics.length === 1 ? which : and([which, compared]);
}

/** The order of statuses among equal values. */
export const statusOrder: SQL = sql.raw(`array_position('{${resultStatuses.join(',')}}'::text[], r.status)`);

/** Rows that are read at once: of most boards a page and what its rank ranges reach are among the first. */
const chunkRows = 400;
const lasts_ms = 5 * 60_000;

export interface WalkQuestion extends Asking {
  order: Order;
  subject: Dimension;
}

/** What a walk needs of its board. */
interface Ground {
  question: WalkQuestion;
  metric: Metric;
  statuses: readonly ResultStatus[];
  on: SQL;
}

/**
 * Walks the boards that were settled on in rank order until a page is known: those with a number, and behind them the
 * others.
 *
 * @param page null for all entries
 */
export async function walkBoard(
  tx: Transaction,
  question: WalkQuestion,
  settled: SettledBoard,
  page: BoardPage | null,
): Promise<StoredEntry[]> {
  const [metric] = question.metrics;
  if (metric === undefined || settled.workloads.length === 0) return [];
  const { order } = question;
  const byTool = await readScatter(tx, metric, settled.chosen[0] ?? null);
  const on = await onBoards(tx, question, settled);
  // Reaches are stored as they were measured, not in tokens per dollar.
  const findsWide = isWalked(metric) && isBetterFirst(metric, order) && question.filters.prices === undefined;
  const entries: StoredEntry[] = [];
  for (const isRanked of [true, false]) {
    const statuses = statusesOf(question, isRanked);
    const isFull = page !== null && entries.length > page.limit;
    const isBehind = page?.after !== null && page?.after?.isRanked === false && isRanked;
    if (statuses.length === 0 || isFull || isBehind) continue;
    const walk = new BoardWalk<StoredRow>({ order, isRanked, page, byTool, findsWide });
    await follow(tx, walk, { question, metric, statuses, on });
    const unreached = walk.unreached();
    const isReached = unreached !== null && !(await hasWide(tx, { question, metric, statuses, on }, unreached));
    entries.push(...walk.entries({ isReached }));
  }
  return page === null ? entries : entries.slice(0, page.limit + 1);
}

const isBetterFirst = (metric: Metric, order: Order) => (signOf(metric) === 1) === (order === 'desc');

/** Whether a wide interval of what is behind the last value that came reaches the page. */
async function hasWide(
  tx: Transaction,
  { metric, on, statuses }: Ground,
  { last, end }: { last: number; end: number },
): Promise<boolean> {
  const sign = signOf(metric);
  const [found] = (await tx.execute(sql`
    select exists (
      select 1 from board_rows r
      where ${on} and r.reach >= ${sign * end} and r.worth <= ${sign * last} and r.status = any(${texts(statuses)})
    ) as "isThere"`)) as unknown as { isThere: boolean }[];
  return found?.isThere ?? true;
}

async function follow(
  tx: Transaction,
  walk: BoardWalk<StoredRow>,
  { question, metric, statuses, on }: Ground,
): Promise<void> {
  const { order, subject } = question;
  const source = sourceOf(question, statuses);
  const sign = signOf(metric);
  const isFirst = isBetterFirst(metric, order);
  const best = source.isOfSystems && isFirst && isOfSystem(subject) ? sql`r.is_best` : takesPart(question, source);
  const { prices } = question.filters;
  // By tokens per dollar a board is sorted, since every question may have other prices. What puts out nothing has no cost.
  const scale = prices === undefined ? sql`1::double precision` : mtokPerUsd(prices);
  const worth = prices === undefined ? sql`r.worth` : sql`r.worth * ${scale}`;
  const where = [...source.where, on, best, ...(prices === undefined ? [] : [sql`r.worth > 0`])];
  const query = sql`
    select r.point_id::float8 as "pointId", r.status, r.variant, r.system_id as system, ${subjectOf(subject)} as subject,
      ${sql.raw(String(sign))} * ${worth} as value, r.n, r.sd * ${scale} as sd, r.tools, r.disputed as "isDisputed",
      ${scale} as scale
    from ${source.from} where ${and(where)}
    order by ${worth} ${turned(isFirst ? 'desc' : 'asc')}, r.disputed, r.system_id collate "C", r.point_id, ${statusOrder}`;
  // Rows come in an index's order: the first ones are wanted, not all.
  await tx.execute(sql`set local cursor_tuple_fraction = 0.0001`);
  for await (const rows of streamRows<StoredRow>(tx, query, { chunkRows, lasts_ms })) {
    if (!walk.take(rows)) return;
  }
  walk.end();
}
