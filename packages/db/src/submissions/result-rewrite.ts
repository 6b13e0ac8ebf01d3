import type { Finding } from '@inferboard/core/checks/check';
import { metricNames } from '@inferboard/core/metrics/index';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import { resultFacts, toResultRow } from '../connection/rows.ts';
import type { Transaction } from '../connection/transaction.ts';
import { sequenceOf, storeSequences } from '../service/request-sequences.ts';

/** Rows per statement. */
const chunkRows = 2000;

/** Columns of identity and origin, which are kept. */
const kept = new Set(['id', 'submission_id', 'account_id', 'ordinal', 'copy_of', 'copy_reason', 'origin']);
const rewritten = sql.join(
  [...resultFacts, ...metricNames]
    .filter((column) => !kept.has(column))
    .map((column) => sql`${sql.identifier(column)} = w.${sql.identifier(column)}`),
  sql`, `,
);

/** A stored result with its re-read version and point. */
export interface Rewrite {
  id: string;
  submissionId: string;
  accountId: string;
  ordinal: number;
  pointId: number;
  result: CheckedResult;
}

/** Replaces stored results with their re-read versions. Returns their findings by id. */
export async function rewriteResults(tx: Transaction, rewrites: readonly Rewrite[]): Promise<Map<string, Finding[]>> {
  const stored = rewrites.map(({ id, result, ...place }) => ({
    ...toResultRow(result, { ...place, copyOf: null, copyReason: null }),
    id,
  }));
  for (let start = 0; start < stored.length; start += chunkRows) {
    const chunk = JSON.stringify(stored.slice(start, start + chunkRows));
    await tx.execute(sql`
      update results r set ${rewritten}
      from jsonb_populate_recordset(null::results, ${chunk}::jsonb) w where r.id = w.id`);
  }
  const ids = JSON.stringify(rewrites.map(({ id }) => id));
  await tx.execute(sql`
    delete from request_sequences where result_id in (select jsonb_array_elements_text(${ids}::jsonb))`);
  await storeSequences(
    tx,
    rewrites.map(({ id, result }) => ({ id, sequence: sequenceOf(result) })),
  );
  return new Map(stored.map(({ id, findings }) => [id, findings]));
}
