import { type RequestSequence, requestSequence } from '@inferboard/core/records/sequence';
import type { Result } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { preparedInsert } from '../bulk.ts';
import { requestSequences } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';

/** What its records say that tells it from every other; null where they are too few, or none. */
export const sequenceOf = ({ records }: Result): RequestSequence | null =>
  records === null ? null : requestSequence(records.requests);

const insertSequences = preparedInsert({
  table: requestSequences,
  columns: ['result_id', 'latencies'],
  onConflict: sql`on conflict do nothing`,
});

/** Keeps the sequences of stored results that have one and of which none is kept. */
export async function storeSequences(
  tx: Transaction,
  results: readonly { id: string; sequence: RequestSequence | null }[],
): Promise<void> {
  const rows = results.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ result_id: id, latencies: sequence }],
  );
  if (rows.length > 0) await insertSequences(tx, rows);
}
