import { type FactNames, splitFacts } from '@inferboard/core/filters/fact-names';
import type { Metric } from '@inferboard/core/metrics/index';
import type { BoardPage, BoardWalk } from '@inferboard/core/ranking/board';
import { isWalked, signOf } from '@inferboard/core/ranking/walked';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import { columnList, texts } from '../copy/bulk.ts';
import type { BoardScope } from './board-scope.ts';
import type { ListedBoard } from './directory.ts';
import { type Figures, figuresOf, type Tested, testedBy } from './figures.ts';
import { sourceOf, subjectOf, takesPart } from './source.ts';
import {
  type Ground,
  inRankOrder,
  isBetterFirst,
  type JsonColumns,
  jsonColumns,
  readColumns,
  type StoredRow,
  statusOrder,
} from './stored-row.ts';

/** Rows of a board in the first read, best first and before bounds are tested. */
const firstRows = 600;
/** Rows in the second read, which starts over: the fewest that probably contain all needed entries. */
const secondRows = [2000, 4000, 8000, 16_000] as const;

/** If at most this many systems have the requested model or GPU, their best rows are looked up rather than reading more rows. */
const fewSystems = 1000;

/** Entries in addition to those of the page and its rank ranges: disputed entries are placed later than they were read. */
const spareEntries = 150;

interface Reading extends Pick<Ground, 'question' | 'statuses'> {
  metric: Metric;
  board: ListedBoard;
  /** Id of the board that contains every point of the workload. */
  all: number;
  /** The requested models, or GPUs if no model is requested. Only rows with one of these are read. */
  fact: FactNames | null;
  /** Entries that a page and its rank ranges probably need at most. */
  most: number;
}

/** Columns of board rows that a walk needs, except for those of its conditions. */
const rowColumns = ['point_id', 'status', 'variant', 'system_id', 'worth', 'n', 'sd', 'tools', 'disputed', 'is_first'];

interface Read {
  walk: BoardWalk<StoredRow>;
  /** Whether the walk has all that the page needs. */
  isKnown: boolean;
  /** Number of subjects that were found. */
  found: number;
}

/** The first rows `o` of a board in rank order, or all rows that can match. */
interface Rows {
  from: SQL;
  /** Maximum number of rows; null for all. */
  most: number | null;
}

function firstRowsOf({ board, statuses, fact }: Reading, most: number): Rows {
  const onBoard = sql`o.board_id = ${board.id} and o.status = any(${texts(statuses)})`;
  const first = sql`order by o.worth desc fetch first ${sql.raw(String(most))} rows with ties`;
  if (fact === null) return { from: sql`board_rows o where ${onBoard} ${first}`, most };
  // Each name has its own rows in rank order.
  const ofName = sql`select * from board_rows o where ${onBoard} and o.${sql.identifier(fact.fact)} = name ${first}`;
  return { from: sql`unnest(${texts(fact.names)}) name cross join lateral (${ofName}) o ${first}`, most };
}

/** Finds the matching claims first if the board's figures have what is needed. */
function allRowsOf({ board, all }: Reading, figures: Figures | null): Rows {
  const claims =
    figures === null
      ? sql``
      : sql`
        join (select t.point_id, t.status, t.variant from ${figures.from} where t.board_id = ${all} and ${figures.where}) c
        on c.point_id = o.point_id and c.status = o.status and c.variant = o.variant`;
  return { from: sql`board_rows o ${claims} where o.board_id = ${board.id}`, most: null };
}

/** Reads rows of a board, and of those that match, the first one of each subject. */
async function takeRows(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { joins, hasSystems, where, columns }: Tested,
  { question, statuses, metric, board, most }: Reading,
  { from, most: rows }: Rows,
): Promise<Read> {
  const isOfSystem = question.subject === 'system';
  // The rows are copied, so that each column costs time.
  const read = new Set([...rowColumns, ...columns]);
  // Looked up for each row: the planner, which expects few rows, could otherwise scan all systems for each.
  const lookUp = sql`cross join lateral (select * from systems where id = r.system_id offset 0) s`;
  const ofSubjects = isOfSystem || hasSystems ? sql`` : lookUp;
  const subject = isOfSystem ? sql`r.system_id` : subjectOf(question.subject);
  const order = sql`r.worth desc, r.disputed, r.system_id collate "C", r.point_id${statuses.length === 1 ? sql`` : sql`, ${statusOrder}`}`;
  const last =
    rows === null ? sql`null::float8` : sql`(select min(worth) from read having count(*) >= ${sql.raw(String(rows))})`;
  const form = { metric, subject: isOfSystem ? null : sql`r.subject`, scale: null };
  const asked = executeOften<{ last: number | null } & JsonColumns>(
    tx,
    sql`
    with read as ${sql.raw(rows === null ? 'not materialized' : 'materialized')} (
      select ${columnList([...read], (quoted) => `o.${quoted}`)}, ${board.group}::text as definition_group from ${from})
    select ${sql.raw(String(signOf(metric)))} * ${last} as last, found.*
    from (${jsonColumns(
      form,
      sql`
      from (
        select * from (
          select distinct on (${subject} collate "C") r.point_id, r.status, r.variant, r.system_id, ${subject} as subject, r.worth,
            r.n, r.sd, r.tools, r.disputed
          from read r
          ${joins} ${ofSubjects}
          where ${sql.join([...where, takesPart(question, sourceOf(question))], sql` and `)}
          order by ${subject} collate "C", ${order}) r
        order by ${order} limit ${sql.raw(String(most))}) r`,
    )}) found`,
  );
  const [walk, [answer]] = await atOnce([start(), asked]);
  const found = readColumns(answer);
  const isComplete = found.length < most;
  // The last row that was read; null if the board has no more rows.
  const end = isComplete ? (answer?.last ?? null) : null;
  const isKnown = !walk.take(found, end);
  const isAtEnd = isComplete && end === null;
  if (!isKnown && isAtEnd) walk.end();
  return { walk, isKnown: isKnown || isAtEnd, found: found.length };
}

/** Rows of the second read; null if even the most would probably not suffice. */
function moreRows({ most }: Reading, { found }: Read): number | null {
  // Later rows repeat systems more often.
  const needed = (1.3 * firstRows * most) / found;
  return secondRows.find((rows) => rows >= needed) ?? null;
}

/**
 * Looks up the best row of each system with the requested facts. Reads fewer rows of the board than `takeRows` if few systems
 * have them, but needs a workload where all values have one formula.
 *
 * @returns null if the page needs more rows, or if the best row of a system is disputed, or not the first claim of its point
 */
async function takeSystems(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { from, where }: Figures,
  { metric, board, all, most }: Reading,
): Promise<BoardWalk<StoredRow> | null> {
  const order = metric.family.direction === 'lower' ? sql`asc` : sql`desc`;
  const asked = executeOften<{ systems: number } & JsonColumns>(
    tx,
    sql`
    with best as materialized (
        select distinct on (t.system_id collate "C") t.point_id, t.status, t.variant, t.${sql.identifier(metric.name)} as value
        from ${from} where t.board_id = ${all} and ${where}
        order by t.system_id collate "C", value ${order}, t.point_id)
    select (select count(*)::int from best) as systems, found.*
    from (${jsonColumns(
      { metric, subject: null, scale: null },
      sql`
      from (select * from best order by value ${order} limit ${sql.raw(String(most))}) m
      join board_rows r on r.board_id = ${board.id} and r.point_id = m.point_id and r.status = m.status
        and r.variant = m.variant
      order by ${inRankOrder('desc')}`,
    )}) found`,
  );
  const [walk, [answer]] = await atOnce([start(), asked]);
  const rows = readColumns(answer);
  if (!rows.every(({ variant, isDisputed }) => variant === 0 && !isDisputed)) return null;
  if (!walk.take(rows)) return walk;
  if (rows.length !== answer?.systems) return null;
  walk.end();
  return walk;
}

/**
 * Ranks a board under bounds or facts by reading its rows in rank order, as many as the page needs.
 *
 * @returns null if the board's rows lack a requested column, or the question needs another order
 */
export async function walkFigures(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  {
    question,
    metric,
    statuses,
    scope,
    page,
    places,
  }: Ground & {
    scope: BoardScope;
    page: BoardPage | null;
    places: number;
  },
): Promise<BoardWalk<StoredRow> | null> {
  const { filters, metrics, order, subject } = question;
  const tested = testedBy(question, statuses, sql`r`);
  const isNarrowed = filters.prices === undefined && (filters.bounds.length > 0 || tested?.isOfFacts === true);
  if (tested === null || !isNarrowed || metrics.length > 1 || page === null || page.after !== null) return null;
  if (!isWalked(metric) || !isBetterFirst(metric, order)) return null;
  if (subject === 'load' || subject === 'scenario' || subject === 'workload') return null;
  const [ranked, ...others] = scope.boards.filter((board) => board.metric !== '');
  const [whole, ...more] = scope.boards.filter((board) => board.metric === '');
  if (ranked === undefined || whole === undefined || others.length + more.length > 0) return null;
  const most = page.limit + places + spareEntries;
  const [fact = null] = splitFacts(filters).facts;
  const reading: Reading = { question, statuses, metric, board: ranked, all: whole.id, fact, most };
  const isOfBestRows = subject === 'system' && statuses.length === 1 && scope.isOnly;
  const figures = isOfBestRows ? figuresOf(question, statuses) : null;
  const takeBest = async (entries: number) =>
    figures === null ? null : takeSystems(tx, start, figures, { ...reading, most: entries });
  const first = await takeRows(tx, start, tested, reading, firstRowsOf(reading, firstRows));
  if (first.isKnown) return first.walk;
  const hasFew = tested.isOfFacts && ranked.systems <= fewSystems;
  const rows = hasFew ? null : moreRows(reading, first);
  const second = rows === null ? null : await takeRows(tx, start, tested, reading, firstRowsOf(reading, rows));
  if (second?.isKnown) return second.walk;
  const best = tested.isOfFacts && !hasFew ? null : await takeBest(most);
  if (best !== null) return best;
  const all = await takeRows(tx, start, tested, reading, allRowsOf(reading, figuresOf(question, statuses)));
  return all.isKnown ? all.walk : null;
}
