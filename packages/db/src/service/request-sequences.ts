import { type RequestSequence, requestSequence } from '@inferboard/core/records/sequence';
import type { Result } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';
import { preparedInsert } from '../copy/bulk.ts';
import { requestSequences } from '../schema/index.ts';

/** The fingerprint of a result's request records; null if there are too few records. */
export const sequenceOf = ({ records }: Result): RequestSequence | null =>
  records === null ? null : requestSequence(records.requests);

const insertSequences = preparedInsert({
  table: requestSequences,
  columns: ['result_id', 'latencies'],
  onConflict: sql`on conflict do nothing`,
});

/** Stores the sequences of results that have one, unless already stored. */
export async function storeSequences(
  tx: Transaction,
  results: readonly { id: string; sequence: RequestSequence | null }[],
): Promise<void> {
  const rows = results.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ result_id: id, latencies: sequence }],
  );
  if (rows.length > 0) await insertSequences(tx, rows);
}
