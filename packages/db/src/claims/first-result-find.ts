import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../connection/transaction.ts';

export type { FirstResult } from '@inferboard/core/claims/copied-finding';

/** Bytes about to be stored, with the points of their results. */
export interface SentBytes {
  sha256: string;
  accountId: string;
  submissionId: string;
  /** Results in the order of the artifact. */
  results: readonly { pointId: number; status: ResultStatus }[];
}

/**
 * Finds earlier results from the same bytes, by index in the artifact. They are not repetitions, regardless of the sender.
 * Another account's result is the original at any point. An account that submits its own bytes again with other metadata
 * corrects them. A ranked result never counts as a copy of a held or provisional one.
 */
export async function findFirstResults(
  tx: Transaction,
  { sha256, accountId, submissionId, results }: SentBytes,
): Promise<Map<number, FirstResult>> {
  const places = results.map(({ pointId, status }, ordinal) => ({ ordinal, point_id: pointId, status }));
  const rows = (await tx.execute(sql`
    select distinct on (r.ordinal) r.ordinal, first.id, f.id as "submissionId", f.account_id <> ${accountId} as "isOthers"
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as w(ordinal int, point_id bigint, status text)
    join submissions s on s.artifact_sha256 = ${sha256} and s.id <> ${submissionId}
    join results r on r.submission_id = s.id and r.ordinal = w.ordinal
      and (r.point_id = w.point_id or s.account_id <> ${accountId})
    -- The first of these bytes may itself be a copy of what others measured.
    join results first on first.id = coalesce(r.copy_of, r.id)
    join submissions f on f.id = first.submission_id
    where r.status <> 'retracted' and (w.status <> 'accepted' or first.status in ('accepted', 'retracted'))
      and (first.point_id = w.point_id or f.account_id <> ${accountId})
    order by r.ordinal, r.point_id = w.point_id desc, r.copy_of is not null, r.id`)) as unknown as (Omit<
    FirstResult,
    'reason'
  > & { ordinal: number })[];
  return new Map(rows.map(({ ordinal, ...first }) => [ordinal, { ...first, reason: 'same_bytes' }]));
}
