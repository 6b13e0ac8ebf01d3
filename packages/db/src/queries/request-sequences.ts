import { isSameSequence, type RequestSequence, requestSequence } from '@inferboard/core/records/sequence';
import type { Result } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { bigints, insertRows } from '../bulk.ts';
import { requestSequences } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';
import { type FirstResult, placeKey } from './first-result-find.ts';
import { lockPoints } from './point-lock.ts';

/** What its records say that tells it from every other; null where they are too few, or none. */
export const sequenceOf = ({ records }: Result): RequestSequence | null =>
  records === null ? null : requestSequence(records.requests);

/** Keeps the sequences of stored results that have one. */
export async function storeSequences(
  tx: Transaction,
  results: readonly { id: string; sequence: RequestSequence | null }[],
): Promise<void> {
  const rows = results.flatMap(({ id, sequence }) =>
    sequence === null ? [] : [{ result_id: id, latencies: sequence }],
  );
  if (rows.length > 0) await insertRows(tx, requestSequences, rows);
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
  if (results.every(({ sequence }) => sequence === null)) return found;
  const pointIds = [...new Set(results.map(({ pointId }) => pointId))];
  await lockPoints(tx, pointIds);
  const rows = (await tx.execute(sql`
    select r.id, r.submission_id as "submissionId", r.point_id as "pointId", r.status, q.latencies
    from results r join request_sequences q on q.result_id = r.id join submissions s on s.id = r.submission_id
    where r.point_id = any(${bigints(pointIds)}) and r.copy_of is null and r.status <> 'retracted'
      and s.account_id <> ${accountId}
    order by r.status <> 'accepted', r.id`)) as unknown as {
    id: string;
    submissionId: string;
    pointId: string;
    status: string;
    latencies: RequestSequence;
  }[];
  for (const [ordinal, { pointId, sequence, isAccepted }] of results.entries()) {
    if (sequence === null) continue;
    const first = rows.find(
      (row) =>
        Number(row.pointId) === pointId &&
        // What counts is no copy of what is held.
        (row.status === 'accepted' || !isAccepted) &&
        isSameSequence(row.latencies, sequence),
    );
    if (first === undefined) continue;
    const { id, submissionId } = first;
    found.set(placeKey(ordinal, pointId), { id, submissionId, isOthers: true, isSameBytes: false });
  }
  return found;
}
