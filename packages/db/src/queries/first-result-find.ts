import type { Finding } from '@inferboard/core/checks/check';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../transaction.ts';

/** What was measured once and said before, at the same point. */
export interface FirstResult {
  id: string;
  submissionId: string;
  isOthers: boolean;
  /** The same line of the same bytes; otherwise the same requests, their figures shifted a little. */
  isSameBytes: boolean;
}

/** A line of an artifact at the point it was said of. */
export const placeKey = (ordinal: number, pointId: number) => `${ordinal} ${pointId}`;

/** The same bytes again are no repetition, whoever sends them: what they said of a point counts once. */
export async function findFirstResults(
  tx: Transaction,
  artifact: { sha256: string; accountId: string; submissionId: string },
): Promise<Map<string, FirstResult>> {
  const rows = (await tx.execute(sql`
    select distinct on (r.ordinal, r.point_id) r.ordinal, r.point_id,
      first.id, f.id as submission_id, f.account_id, f.artifact_sha256 = s.artifact_sha256 as is_same_bytes
    from submissions s join results r on r.submission_id = s.id
    -- The first of these bytes may itself be a copy of what others measured.
    join results first on first.id = coalesce(r.copy_of, r.id)
    join submissions f on f.id = first.submission_id
    where s.artifact_sha256 = ${artifact.sha256} and s.id <> ${artifact.submissionId} and r.status <> 'retracted'
    order by r.ordinal, r.point_id, r.copy_of is not null, r.id`)) as unknown as {
    id: string;
    ordinal: number;
    point_id: string;
    submission_id: string;
    account_id: string;
    is_same_bytes: boolean;
  }[];
  return new Map(
    rows.map((row) => [
      placeKey(row.ordinal, Number(row.point_id)),
      {
        id: row.id,
        submissionId: row.submission_id,
        isOthers: row.account_id !== artifact.accountId,
        isSameBytes: row.is_same_bytes,
      },
    ]),
  );
}

/** Tells readers of a copy where the first one stands. */
export function copiedFinding(first: FirstResult): Finding {
  const whose = first.isOthers ? 'by another account' : 'by this account';
  const what = first.isSameBytes
    ? `The same artifact was submitted before ${whose}: it is counted once.`
    : `The same requests, the latencies of each within 1 %, were submitted before ${whose}: they are counted once.`;
  return {
    code: 'copied_artifact',
    severity: first.isOthers ? 'warning' : 'info',
    message: what,
    evidence: { first_result: first.id, first_submission: first.submissionId },
  };
}
