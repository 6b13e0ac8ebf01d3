import type { Metric } from '@inferboard/core/metrics/index';
import { type BoardPage, type BoardWalk, spreadPlaces } from '@inferboard/core/ranking/board';
import { isWalked, signOf } from '@inferboard/core/ranking/walked';
import { type SQL, sql } from 'drizzle-orm';
import { executeOften } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import type { BoardScope } from './board-scope.ts';
import type { ListedBoard } from './directory.ts';
import { type Figures, figuresOf } from './figures.ts';
import { sourceOf, takesPart } from './source.ts';
import { type Ground, inRankOrder, isBetterFirst, type StoredRow, storedRow } from './stored-row.ts';

/** Rows per read, best first. The first size covers most pages and their rank ranges. */
const readAtOnce = [800, 8000] as const;

/** On boards with more systems than this, the first rows are tested before the whole workload. */
const largeBoard = 4000;

interface Reading {
  metric: Ground['metric'];
  question: Ground['question'];
  board: ListedBoard;
  /** Id of the board that contains every point of the workload. */
  all: number;
  rows: number;
}

/** The first matching rows by value. */
function bestFigures({ from, where }: Figures, { metric, all, rows }: Reading): SQL {
  const order = metric.family.direction === 'lower' ? sql`asc` : sql`desc`;
  return sql`
    select t.point_id, t.status, t.variant from ${from} where t.board_id = ${all} and ${where}
    order by t.${sql.identifier(metric.name)} ${order} fetch first ${sql.raw(String(rows))} rows with ties`;
}

/**
 * Walks the best row of each system, as many as rank ranges are exact for. Reads fewer rows of the board than `take`, but needs a
 * workload where all values have one formula.
 *
 * @returns null if the best row of a system is disputed, or not the first claim of its point
 */
async function takeSystems(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { from, where }: Figures,
  { metric, board, all, rows: most }: Reading,
): Promise<BoardWalk<StoredRow> | null> {
  const order = metric.family.direction === 'lower' ? sql`asc` : sql`desc`;
  const asked = executeOften<{ systems: number; rows: string | null }>(
    tx,
    sql`
    with best as materialized (
        select distinct on (t.system_id collate "C") t.point_id, t.status, t.variant, t.${sql.identifier(metric.name)} as value
        from ${from} where t.board_id = ${all} and ${where}
        order by t.system_id collate "C", value ${order}, t.point_id)
    select (select count(*)::int from best) as systems, (
      select json_agg(json_build_array(${rowFields(metric)}) order by ${inRankOrder('desc')})::text
      from (select * from best order by value ${order} limit ${sql.raw(String(most))}) m
      join board_rows r on r.board_id = ${board.id} and r.point_id = m.point_id and r.status = m.status
        and r.variant = m.variant) as rows`,
  );
  const [walk, [answer]] = await atOnce([start(), asked]);
  const rows = (JSON.parse(answer?.rows ?? '[]') as RowAsArray[]).map(fromArray);
  if (!rows.every(({ variant, isDisputed }) => variant === 0 && !isDisputed)) return null;
  if (!walk.take(rows)) return walk;
  if (rows.length !== answer?.systems) return null;
  walk.end();
  return walk;
}

/** The first rows of the board, filtered to those that match. */
function bestOfBoard({ from, where }: Figures, { board, rows }: Reading): SQL {
  return sql`
    select t.point_id, t.status, t.variant
    from ${from}
    join (
      select point_id, status, variant from board_rows where board_id = ${board.id}
      order by worth desc fetch first ${sql.raw(String(rows))} rows with ties) b
      on b.point_id = t.point_id and b.status = t.status and b.variant = t.variant
    where ${where}`;
}

/** The fields of a `RowAsArray` of a system, from board rows `r`. */
const rowFields = (metric: Metric): SQL => sql`
  r.point_id, r.status, r.variant, r.system_id, null, ${sql.raw(String(signOf(metric)))} * r.worth, r.n, r.sd, r.tools, r.disputed`;

type RowAsArray = [
  pointId: number,
  status: StoredRow['status'],
  variant: number,
  system: string,
  subject: string | null,
  value: number,
  n: number | null,
  sd: number | null,
  tools: string[],
  isDisputed: boolean,
];

function fromArray([pointId, status, variant, system, subject, ...measured]: RowAsArray): StoredRow {
  const [value, n, sd, tools, isDisputed] = measured;
  return { pointId, status, variant, system, subject: subject ?? system, value, n, sd, tools, isDisputed, scale: 1 };
}

interface Attempt {
  claims: SQL;
  /** Whether the number of found claims shows that none are left. */
  isAll: (found: number) => boolean;
  reading: Reading;
}

/**
 * Walks the rows of some claims in rank order: the first row of each subject, and the last row overall, which bounds the range.
 * Null if the page needs more rows.
 */
async function take(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { claims, isAll, reading }: Attempt,
): Promise<BoardWalk<StoredRow> | null> {
  const { metric, question, board } = reading;
  const ofSubject = question.subject === 'system' ? sql`null` : sql`q.subject`;
  const joins = question.subject === 'system' ? sql`` : sql`join systems s on s.id = r.system_id`;
  // Returns rows as one text: the driver would need as long to parse the columns as the server to find the rows.
  const asked = executeOften<{ found: number; rows: string | null }>(
    tx,
    sql`
    with found as materialized (${claims})
    select (select count(*)::int from found) as found, (
      select json_agg(json_build_array(q."pointId", q.status, q.variant, q.system, ${ofSubject}, q.value, q.n, q.sd, q.tools,
        q."isDisputed") order by q.place)::text
      from (
        select k.*, row_number() over (partition by subject order by place) as of_subject,
          count(*) over () as total
        from (
          select ${storedRow(metric, question.subject)}, row_number() over (order by ${inRankOrder('desc')}) as place
          from found c
          join (select o.*, ${board.group}::text as definition_group from board_rows o where o.board_id = ${board.id}) r
            on r.point_id = c.point_id and r.status = c.status and r.variant = c.variant
          ${joins}
          where ${takesPart(question, sourceOf(question))}) k) q
      where of_subject = 1 or place = total) as rows`,
  );
  const [walk, [answer]] = await atOnce([start(), asked]);
  const rows = (JSON.parse(answer?.rows ?? '[]') as RowAsArray[]).map(fromArray);
  if (!walk.take(rows)) return walk;
  if (!isAll(answer?.found ?? 0)) return null;
  walk.end();
  return walk;
}

/**
 * Ranks a board under bounds or facts from `board_figures`, if it has all requested columns. Tests bounds on the rows of the
 * workload, model and GPU, and reads only the best matching rows from the board.
 *
 * @returns null if other columns are requested, or if the page needs more rows
 */
export async function walkFigures(
  tx: Transaction,
  start: () => Promise<BoardWalk<StoredRow>>,
  { question, metric, statuses, scope, page }: Ground & { scope: BoardScope; page: BoardPage | null },
): Promise<BoardWalk<StoredRow> | null> {
  const { filters, order, subject } = question;
  const figures = figuresOf(question, statuses);
  const isNarrowed = filters.prices === undefined && (filters.bounds.length > 0 || figures?.isOfFacts === true);
  if (figures === null || !isNarrowed || page === null || page.after !== null || !isWalked(metric)) return null;
  if (!isBetterFirst(metric, order) || subject === 'load' || subject === 'scenario' || subject === 'workload')
    return null;
  const [ranked, ...others] = scope.boards.filter((board) => board.metric !== '');
  const [all, ...more] = scope.boards.filter((board) => board.metric === '');
  if (ranked === undefined || all === undefined || others.length + more.length > 0) return null;
  const readingOf = (rows: number): Reading => ({ metric, question, board: ranked, all: all.id, rows });
  const [first] = readAtOnce;
  const attempts: Attempt[] = readAtOnce.map((rows) => ({
    claims: bestFigures(figures, readingOf(rows)),
    isAll: (found) => found < rows,
    reading: readingOf(rows),
  }));
  if (ranked.systems > largeBoard)
    attempts.unshift({
      claims: bestOfBoard(figures, readingOf(first)),
      isAll: () => false,
      reading: readingOf(first),
    });
  const isOfBestRows = subject === 'system' && statuses.length === 1 && scope.isOnly;
  if (isOfBestRows && ranked.systems <= largeBoard) {
    const walk = await takeSystems(tx, start, figures, readingOf(page.limit + spreadPlaces + 2));
    if (walk !== null) return walk;
  }
  for (const attempt of attempts) {
    const walk = await take(tx, start, attempt);
    if (walk !== null) return walk;
  }
  return null;
}
