import type { Finding } from '@inferboard/core/checks/check';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../transaction.ts';

/** What the same line of the same bytes gave before, at the same point. */
export interface FirstResult {
  id: string;
  submissionId: string;
  isOthers: boolean;
}

/** A line of an artifact at the point it was said of. */
export const placeKey = (ordinal: number, pointId: number) => `${ordinal} ${pointId}`;

/** The same bytes again are no repetition, whoever sends them: what they said of a point counts once. */
export async function findFirstResults(
  tx: Transaction,
  artifact: { sha256: string; accountId: string; submissionId: string },
): Promise<Map<string, FirstResult>> {
  const rows = (await tx.execute(sql`
    select r.id, r.ordinal, r.point_id, s.id as submission_id, s.account_id
    from submissions s join results r on r.submission_id = s.id
    where s.artifact_sha256 = ${artifact.sha256} and s.id <> ${artifact.submissionId}
      and r.copy_of is null and r.status <> 'retracted'`)) as unknown as {
    id: string;
    ordinal: number;
    point_id: string;
    submission_id: string;
    account_id: string;
  }[];
  return new Map(
    rows.map((row) => [
      placeKey(row.ordinal, Number(row.point_id)),
      { id: row.id, submissionId: row.submission_id, isOthers: row.account_id !== artifact.accountId },
    ]),
  );
}

/** Tells readers of a copy where the first one stands. */
export function copiedFinding(first: FirstResult): Finding {
  const whose = first.isOthers ? 'by another account' : 'by this account';
  return {
    code: 'copied_artifact',
    severity: first.isOthers ? 'warning' : 'info',
    message: `The same artifact was submitted before ${whose}: it is counted once.`,
    evidence: { first_result: first.id, first_submission: first.submissionId },
  };
}
