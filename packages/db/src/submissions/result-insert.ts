import { setImmediate as nextTurn } from 'node:timers/promises';
import { copiedFinding } from '@inferboard/core/claims/copied-finding';
import { sql } from 'drizzle-orm';
import type { ResultRow } from '../boards/lists/row-types.ts';
import { rankPoints } from '../boards/rank-points.ts';
import { type ClaimChanges, sumOf } from '../claims/add-to-claims.ts';
import { storeRepresentatives } from '../claims/choose-representatives.ts';
import { type Row, resultFacts, toResultRow } from '../connection/rows.ts';
import { prepared } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import { columnList, type Insertion, insertionOf, preparedInsert, writtenColumns } from '../copy/bulk.ts';
import { copyBatches, openCopy } from '../copy/copy.ts';
import { drawUntil } from '../copy/draw-until.ts';
import { toStatisticsRows } from '../point-statistics/claim-rows.ts';
import type { Located } from '../points/point-upsert.ts';
import { pointStatistics, results as resultTable, submissions as submissionTable } from '../schema/index.ts';
import { type ClaimUpdate, type NewResult, trustOf } from './new-result.ts';
import { anchorInsertion, anchorRows, copyAnchors } from './result-anchors.ts';

/** Results per batch: the database stores one batch while the next is prepared, and other work runs in between. */
const batchResults = 250;

/** Batches to report while the statistics are stored, when the thread would otherwise be idle. */
const heldBack = 12;

export interface NewResults {
  /** The submissions of the results. */
  submissions: readonly Row[];
  results: readonly NewResult[];
  located: Located;
  changes: ClaimChanges;
  /** Start time of the transaction. */
  createdAt: string;
}

/** Called with results as a query would return them. */
export type WhileStoring = (results: readonly { from: NewResult; row: ResultRow }[]) => void;

const submissionInsertion: Insertion = {
  table: submissionTable,
  columns: writtenColumns(submissionTable).filter((column) => !column.startsWith('retract')),
};
const statisticsColumns = writtenColumns(pointStatistics);
const claimInsertion: Insertion = {
  table: pointStatistics,
  columns: statisticsColumns,
  onConflict: sql`on conflict (point_id, status, account_id, own_trust, variant) do update
    set (${columnList(statisticsColumns)}, updated_at) =
      (${columnList(statisticsColumns, (quoted) => `excluded.${quoted}`)}, now())`,
};

const insertSubmissions = preparedInsert(submissionInsertion);
const storeClaims = preparedInsert(claimInsertion);

// Foreign keys are checked at the end of the statement.
const insertAll = prepared<{ submissions: string; results: string; claims: string; anchors: string }>(sql`
  with submitted as (${insertionOf(submissionInsertion, 'submissions')}),
    resulted as (${insertionOf({ table: resultTable, columns: writtenColumns(resultTable) }, 'results')}),
    claimed as (${insertionOf(claimInsertion, 'claims')})
  ${insertionOf(anchorInsertion, 'anchors')}`);

function toRow(one: NewResult): Row {
  const { id, submissionId, accountId, ordinal, result, place, first } = one;
  const marked = first === null ? result : { ...result, findings: [...result.findings, copiedFinding(first)] };
  const where = { id, submissionId, accountId, ordinal, pointId: place.id };
  const row: Row = toResultRow(marked, { ...where, copyOf: first?.id ?? null, copyReason: first?.reason ?? null });
  row.trust = trustOf(one);
  return row;
}

/** Adds a query's further columns to a row in place, because the row is as wide as the registry. */
function toSeen(from: NewResult, row: Row, { located, createdAt }: NewResults): { from: NewResult; row: ResultRow } {
  const { id: _, system_id: _s, scenario_id: _c, ...load } = from.place;
  const facts = located.factsOf(from.place);
  // The columns are those of the table, but `Row` does not have their types.
  const seen = Object.assign(row, load, facts, { created_at: createdAt, trust: from.trust });
  return { from, row: seen as unknown as ResultRow };
}

/** Updates other claims, the trust of results, and the board tables after claims are stored. */
async function updateDependents(tx: Transaction, { made, grown, changed }: ClaimChanges): Promise<void> {
  await storeRepresentatives(tx, {
    touched: grown.flatMap(({ stored, now }) => (now === null || now.trust === stored?.trust ? [] : [now])),
    changed: changed.map(({ after }) => after),
  });
  // Boards show representative claims.
  await rankPoints(tx, [
    ...[...made, ...grown].filter((claim) => claim.stored?.stands || sumOf(claim).stands).map(({ key }) => key.pointId),
    ...changed.map(({ after }) => after.pointId),
  ]);
}

const statisticsRows = (claims: readonly ClaimUpdate[]): Row[] =>
  claims.flatMap((claim) => toStatisticsRows(sumOf(claim)));

const counted = (results: readonly NewResult[]) => results.filter(({ first }) => first === null);

/**
 * Stores submissions, their results and claims in the caller's transaction, in one round trip with the caller's other
 * statements.
 */
export async function storeFew(tx: Transaction, stored: NewResults, whileStoring: WhileStoring): Promise<void> {
  const { submissions, results, changes } = stored;
  const rows = results.map(toRow);
  await atOnce([
    insertAll(tx, {
      submissions: JSON.stringify(submissions),
      results: JSON.stringify(rows),
      claims: JSON.stringify(statisticsRows([...changes.grown, ...changes.made])),
      anchors: JSON.stringify(anchorRows(counted(results))),
    }),
    updateDependents(tx, changes),
    // Runs while the database works.
    nextTurn().then(() => whileStoring(results.map((one, at) => toSeen(one, rows[at] as Row, stored)))),
  ]);
}

/** Columns that occur in the rows of these results. */
function columnsOf(results: readonly NewResult[]): ReadonlySet<string> {
  const columns = new Set<string>(resultFacts);
  for (const { result } of results) {
    for (const name in result.metrics) columns.add(name);
    for (const name in result.derived) columns.add(name);
  }
  return columns;
}

/** Claims per batch: the database stores one batch while the next is computed. */
const batchClaims = 100;

function* inBatches(claims: readonly ClaimUpdate[]): Generator<Row[]> {
  for (let start = 0; start < claims.length; start += batchClaims)
    yield statisticsRows(claims.slice(start, start + batchClaims));
}

function* inTurn<T>(...sources: readonly Iterable<T>[]): Generator<T> {
  for (const source of sources) yield* source;
}

/**
 * The same by COPY. Rows are created on demand and dropped: keeping ten thousand costs the garbage collector more than creating
 * a few of them twice. `whileStoring` receives them in batches, in order, while the database works.
 */
export async function storeMany(tx: Transaction, stored: NewResults, whileStoring: WhileStoring): Promise<void> {
  const { submissions, results, changes } = stored;
  await insertSubmissions(tx, submissions);
  const copy = await openCopy(tx, resultTable, columnsOf(results));
  /** Reports of batches that were sent to the database. */
  const waiting: (() => void)[] = [];
  for (let start = 0; start < results.length; start += batchResults) {
    const batch = results.slice(start, start + batchResults);
    const rows = batch.map(toRow);
    await copy.write(rows);
    waiting.push(() => whileStoring(batch.map((one, at) => toSeen(one, rows[at] as Row, stored))));
    if (waiting.length > heldBack) waiting.shift()?.();
    await nextTurn();
  }
  const made = inBatches(changes.made);
  const ahead = await drawUntil(copy.end(), made);
  const write = async () => {
    await copyBatches(tx, pointStatistics, changes.made.length, inTurn(ahead, made));
    const grown = statisticsRows(changes.grown);
    if (grown.length > 0) await storeClaims(tx, grown);
    await updateDependents(tx, changes);
  };
  const writing = write();
  writing.catch(() => {});
  for (const report of waiting) {
    report();
    await nextTurn();
  }
  await writing;
  await copyAnchors(tx, counted(results));
}
