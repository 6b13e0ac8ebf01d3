import { anchorsOf } from '@inferboard/core/claims/anchors';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { type Insertion, preparedInsert, texts } from '../copy/bulk.ts';
import { copyRows } from '../copy/copy.ts';
import { metricArray, readMetrics, type StatedRow } from '../points/stated-figures.ts';
import { resultAnchors } from '../schema/index.ts';
import type { NewResult } from './new-result.ts';

/** The model key for anchors and comparisons, of a result and of a system `s`. */
export const modelKeyOf = ({ system }: CheckedResult) => system.model.id ?? system.model.name.toLowerCase();
export const modelKey = sql`coalesce(s.model_id, lower(s.model_name))`;

interface Anchored extends Pick<CheckedResult, 'metrics'> {
  id: string;
  account: string;
  model: string;
}

/** Columns and conflict handling of inserted anchors. */
export const anchorInsertion: Insertion = {
  table: resultAnchors,
  columns: ['result_id', 'metric', 'model_key', 'value', 'account_id'],
  onConflict: sql`on conflict do nothing`,
};
const insertAll = preparedInsert(anchorInsertion);

const toRows = (results: readonly Anchored[]) =>
  results.flatMap(({ id, account, model, metrics }) =>
    anchorsOf({ metrics }).map(({ metric, value }) => ({
      ...{ result_id: id, metric, model_key: model, value },
      account_id: account,
    })),
  );

type StoredResult = Pick<NewResult, 'id' | 'accountId' | 'result'>;

const toAnchored = ({ id, accountId, result }: StoredResult): Anchored => ({
  id,
  account: accountId,
  model: modelKeyOf(result),
  metrics: result.metrics,
});

/** The anchor rows by which copies of these results are found. */
export const anchorRows = (stored: readonly StoredResult[]) => toRows(stored.map(toAnchored));

/** Stores the anchors of results. */
export async function storeAnchors(tx: Transaction, stored: readonly StoredResult[]): Promise<void> {
  const rows = anchorRows(stored);
  if (rows.length > 0) await insertAll(tx, rows);
}

/** The same for many new results, by COPY, which blocks the transaction's connection meanwhile. */
export const copyAnchors = (tx: Transaction, stored: readonly StoredResult[]): Promise<void> =>
  copyRows(tx, resultAnchors, anchorRows(stored));

/** Stores anchors for results that now count, or are no longer copies. */
export async function renewAnchors(tx: Transaction, resultIds: readonly string[]): Promise<void> {
  if (resultIds.length === 0) return;
  const ids = texts(resultIds);
  await tx.execute(sql`delete from result_anchors where result_id = any(${ids})`);
  const rows = (await tx.execute(sql`
    select r.id, r.account_id as account, ${modelKey} as model, r.derived, ${metricArray} as values
    from results r join points p on p.id = r.point_id join systems s on s.id = p.system_id
    where r.id = any(${ids}) and r.copy_of is null`)) as unknown as (Pick<StatedRow, 'values' | 'derived'> &
    Omit<Anchored, 'metrics'>)[];
  const anchors = toRows(
    rows.map(({ values, derived, ...row }) => ({ ...row, metrics: readMetrics(values, derived) })),
  );
  if (anchors.length > 0) await insertAll(tx, anchors);
}
