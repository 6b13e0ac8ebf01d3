import { setImmediate as nextTurn } from 'node:timers/promises';
import { copiedFinding, type FirstResult } from '@inferboard/core/claims/copied-finding';
import type { CheckedResult } from '@inferboard/core/result';
import { openInsert } from '../copy.ts';
import { type ContributionPlace, toContribution } from '../point-statistics/claim-summary.ts';
import { type Row, resultFacts, toResultRow } from '../rows.ts';
import { results as resultTable } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { type Addition, claimKey } from './point-statistics-read.ts';
import { addToPointStatistics } from './point-statistics-refresh.ts';
import type { Place } from './point-upsert.ts';
import { readFacts } from './result-list.ts';
import type { ResultRow } from './row-types.ts';

/** Results made ready at once: the database stores one batch while the next is made, and others get their turn between. */
const batchResults = 250;

/** Batches told of while the statistics are stored: with nothing else to do the thread would wait for the database then. */
const heldBack = 12;

export interface NewResults {
  submission: { id: string; accountId: string; createdAt: string };
  results: readonly CheckedResult[];
  /** Where each result stands, in the order of the results. */
  places: readonly Place[];
  /** Points that nobody else sees yet. */
  created: ReadonlySet<number>;
  /** Results of which some of these are copies, by the place in the artifact. */
  firsts: ReadonlyMap<number, FirstResult>;
}

/** Sums up results by claim, as the statistics take them in. */
function takeIn(additions: Map<string, Addition>, result: CheckedResult, place: ContributionPlace): void {
  const key = claimKey({ ...place, status: result.status, ownTrust: result.trust });
  const addition = additions.get(key) ?? { results: [], findings: 0, warnings: 0 };
  additions.set(key, addition);
  addition.results.push(toContribution(result, place));
  for (const { severity } of result.findings) {
    if (severity === 'unchecked') continue;
    addition.findings += 1;
    if (severity !== 'info') addition.warnings += 1;
  }
}

/** The columns that rows of these results have. */
function columnsOf(results: readonly CheckedResult[]): ReadonlySet<string> {
  const columns = new Set<string>(resultFacts);
  for (const { metrics, derived } of results) {
    for (const name in metrics) columns.add(name);
    for (const name in derived) columns.add(name);
  }
  return columns;
}

/**
 * Stores results and the statistics of the points they touch, in the caller's transaction. `whileStoring` gets them as
 * rows, batch by batch in the order of the artifact, while the database is still at work; and once more those that
 * others turn out to have measured as well. Rows are made when they are needed and let go of: ten thousand that are kept
 * to the end cost the garbage collector more than making a few of them twice. Answers the ids, in that order.
 */
export async function insertResults(
  tx: Transaction,
  { submission, results, places, created, firsts }: NewResults,
  whileStoring: (rows: ResultRow[]) => void,
): Promise<string[]> {
  const factsOf = await readFacts(tx, {
    systems: places.map((place) => place.system_id),
    scenarios: places.map((place) => place.scenario_id),
  });
  const additions = new Map<string, Addition>();
  const ids: string[] = [];
  const placeOf = (ordinal: number) => {
    const place = places[ordinal];
    if (place === undefined) throw new Error(`result ${ordinal} has no point`);
    return place;
  };
  const toRow = (result: CheckedResult, ordinal: number) => {
    const { id: pointId } = placeOf(ordinal);
    const first = firsts.get(ordinal);
    const told = first === undefined ? result : { ...result, findings: [...result.findings, copiedFinding(first)] };
    const place = { submissionId: submission.id, accountId: submission.accountId, ordinal, pointId };
    return toResultRow(told, { ...place, copyOf: first?.id ?? null, copyReason: first?.reason ?? null });
  };
  /** What a query would give of a row beside its own columns, put into it: it is as wide as the registry. */
  const toSeen = (row: Row, ordinal: number) => {
    const { id: _, system_id, scenario_id, ...load } = placeOf(ordinal);
    // The columns are those of the table: `Row` does not know their types.
    return Object.assign(row, load, factsOf(system_id, scenario_id), {
      created_at: submission.createdAt,
    }) as unknown as ResultRow;
  };

  const insert = await openInsert(tx, resultTable, results.length, columnsOf(results));
  /** Each tells of a batch that the database has been given. */
  const untold: (() => void)[] = [];
  for (let start = 0; start < results.length; start += batchResults) {
    const rows: Row[] = [];
    for (const result of results.slice(start, start + batchResults)) {
      const ordinal = start + rows.length;
      const row = toRow(result, ordinal);
      rows.push(row);
      ids.push(row.id);
      const { id: pointId } = placeOf(ordinal);
      if (row.copy_of === null) takeIn(additions, result, { id: row.id, pointId, account: submission.accountId });
    }
    await insert.write(rows);
    untold.push(() => whileStoring(rows.map((row, index) => toSeen(row, start + index))));
    if (untold.length > heldBack) untold.shift()?.();
    await nextTurn();
  }
  const stored = insert.end();
  // Waited for below, as is what writes the statistics.
  stored.catch(() => {});
  const { replicated, writing } = await addToPointStatistics(tx, submission, [...additions.values()], created, stored);
  writing.catch(() => {});
  for (const tell of untold) {
    tell();
    await nextTurn();
  }
  whileStoring(
    results.flatMap((result, ordinal) => {
      const { id: pointId } = placeOf(ordinal);
      const key = claimKey({ pointId, account: submission.accountId, status: result.status, ownTrust: result.trust });
      if (!replicated.has(key)) return [];
      const row = toRow(result, ordinal);
      return row.copy_of === null ? [toSeen({ ...row, id: ids[ordinal], trust: 'replicated' }, ordinal)] : [];
    }),
  );
  await writing;
  return ids;
}
