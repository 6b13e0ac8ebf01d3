import { isSameSequence, type RequestSequence, requestSequence } from '@inferboard/core/records/sequence';
import type { Result } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { insertRows } from '../bulk.ts';
import { requestSequences } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { type FirstResult, placeKey } from './first-result-find.ts';
import { lockPoints } from './point-lock.ts';

/** What its records say that tells it from every other; null where they are too few, or none. */
export const sequenceOf = ({ records }: Result): RequestSequence | null =>
  records === null ? null : requestSequence(records.requests);

/** Keeps the sequences of stored results that have one and of which none is kept. */
export async function storeSequences(
  tx: Transaction,
  results: readonly { id: string; sequence: RequestSequence | null }[],
): Promise<void> {
  const rows = results.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ result_id: id, latencies: sequence }],
  );
  if (rows.length > 0) await insertRows(tx, requestSequences, rows, { onConflictDoNothing: true });
}

/**
 * Results of others that count at their point and of which these, which are about to be stored there, are copies: request
 * by request the same, but for a hundredth. Locks the points, for two such may come at once.
 *
 * @param results in the order of the artifact, each with its point
 */
export async function findSameSequences(
  tx: Transaction,
  accountId: string,
  results: readonly { pointId: number; sequence: RequestSequence | null; isAccepted: boolean }[],
): Promise<Map<string, FirstResult>> {
  const found = new Map<string, FirstResult>();
  const wanted = results.flatMap(({ pointId, sequence, isAccepted }, ordinal) =>
    sequence === null
      ? []
      : { ordinal, point_id: pointId, requests: sequence.length, ttft_ms: sequence[0]?.[0], is_accepted: isAccepted },
  );
  if (wanted.length === 0) return found;
  await lockPoints(
    tx,
    results.map(({ pointId }) => pointId),
  );
  // The first latency alone leaves few of many to be compared. What counts is no copy of what is held.
  const rows = (await tx.execute(sql`
    select w.ordinal, r.id, r.submission_id as "submissionId", q.latencies
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as w(ordinal int, point_id bigint, requests int, ttft_ms float8, is_accepted bool)
    join results r on r.point_id = w.point_id and r.copy_of is null
      and (r.status = 'accepted' or (r.status in ('provisional', 'quarantined') and not w.is_accepted))
    join submissions s on s.id = r.submission_id and s.account_id <> ${accountId}
    join request_sequences q on q.result_id = r.id and jsonb_array_length(q.latencies) = w.requests
      and (q.latencies -> 0 ->> 0)::float8 between w.ttft_ms * 0.98 and w.ttft_ms * 1.02
    order by r.status <> 'accepted', r.id`)) as unknown as {
    ordinal: number;
    id: string;
    submissionId: string;
    latencies: RequestSequence;
  }[];
  for (const { ordinal, id, submissionId, latencies } of rows) {
    const { pointId, sequence } = results[ordinal] ?? { pointId: -1, sequence: null };
    const key = placeKey(ordinal, pointId);
    if (found.has(key) || sequence === null || !isSameSequence(latencies, sequence)) continue;
    found.set(key, { id, submissionId, isOthers: true, isSameBytes: false });
  }
  return found;
}
