import type { BoardPage } from '@inferboard/core/ranking/board';
import { sql } from 'drizzle-orm';
import { executeOften, prepared, value } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import { preparedForMoment } from '../service/moment.ts';
import type { BoardScope } from './board-scope.ts';
import { and } from './lists/filter-conditions.ts';
import { rowKeys, theRows } from './row-key.ts';
import { sourceOf } from './source.ts';
import { isBetterFirst, type StoredEntry, type WalkQuestion } from './stored-row.ts';
import { onBoards, walkBoard } from './walk-board.ts';

/** Maximum rows to walk if no index has the count. */
const walkedMost = 1000;

export interface ImportedCount {
  /** Number of rows on the whole board that an operator imported from a publication. */
  imported: number;
  /** True if the count ended after `walkedMost` rows. */
  isImportedAtLeast: boolean;
}

interface Counting extends WalkQuestion {
  /** Whether to count all rows, without a limit. */
  countsAll: boolean;
}

const anyImported = preparedForMoment<{ kind: string; workloads: string }, { isThere: boolean }>(sql`
  select exists (
    select 1 from board_totals
    where kind = ${value('kind')} and workload = any(${value('workloads')}::text[]) and fact = '' and name = ''
      and trust = 'imported' and points > 0) as "isThere"`);

const importedOf = prepared<{ keys: string }, { imported: number }>(sql`
  select count(*)::int as imported from ${theRows(sql`${value('keys')}`)} where t.trust = 'imported'`);

async function countEntries(tx: Transaction, entries: readonly StoredEntry[]): Promise<number> {
  const [found] = await importedOf(tx, { keys: rowKeys(entries.map(({ row }) => row)) });
  return found?.imported ?? 0;
}

/** Whether the board ranks only the best row of each system. An index covers the imported ones among those. */
function isOfBest(question: Counting, { boards }: BoardScope): boolean {
  const { metrics, order, subject, filters } = question;
  const [metric] = metrics;
  return (
    metric !== undefined &&
    sourceOf(question).isOfSystems &&
    subject === 'system' &&
    filters.prices === undefined &&
    isBetterFirst(metric, order) &&
    boards.filter((board) => board.metric !== '').length === 1
  );
}

/**
 * Counts the imported rows of a board, across all pages. An index counts boards without bounds. Others are walked again, and
 * only if a workload has imported results.
 *
 * @param page the request and its entries: one more than the page size if further entries exist
 */
export async function countImported(
  tx: Transaction,
  question: Counting,
  { scope, page, entries }: { scope: BoardScope; page: BoardPage; entries: readonly StoredEntry[] },
): Promise<ImportedCount> {
  const isWhole = page.after === null && entries.length <= page.limit;
  if (isWhole && entries.length === 0) return { imported: 0, isImportedAtLeast: false };
  if (!isWhole && isOfBest(question, scope)) {
    const { from, where } = sourceOf(question);
    const [found] = await executeOften<{
      imported: number;
    }>(
      tx,
      sql`
      select count(*)::int as imported from ${from}
      where ${and([...where, onBoards(question, scope)])} and r.is_best and r.trust = 'imported'`,
    );
    return { imported: found?.imported ?? 0, isImportedAtLeast: false };
  }
  const [there] = await anyImported(tx, { kind: question.kind, workloads: wordArray(scope.workloads) });
  if (there?.isThere !== true) return { imported: 0, isImportedAtLeast: false };
  if (isWhole) return { imported: await countEntries(tx, entries), isImportedAtLeast: false };
  const whole = question.countsAll ? null : { ...page, limit: walkedMost, after: null };
  const all = await walkBoard(tx, question, scope, whole);
  const counted = question.countsAll ? all : all.slice(0, walkedMost);
  return { imported: await countEntries(tx, counted), isImportedAtLeast: counted.length < all.length };
}
