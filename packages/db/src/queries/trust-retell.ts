import { sql } from 'drizzle-orm';
import type { Transaction } from '../transaction.ts';

/** Accounts whose figures at a point others measured as well. */
export interface Verdict {
  pointId: number;
  replicated: readonly string[];
}

/**
 * Brings the trust of the results at these points up to date, of one submission or of all: `replicated` where another
 * account measured the same, otherwise what each is believed for itself.
 */
export async function retellTrust(
  tx: Transaction,
  verdicts: readonly Verdict[],
  submissionId: string | null,
): Promise<void> {
  if (verdicts.length === 0) return;
  const given = JSON.stringify(verdicts.map(({ pointId, replicated }) => ({ point_id: pointId, replicated })));
  const ofSubmission = submissionId === null ? sql`true` : sql`r.submission_id = ${submissionId}`;
  await tx.execute(sql`
    update results r set trust = told.trust
    from (
      select r.id, case
        when r.status = 'accepted' and r.copy_of is null and r.own_trust <> 'managed'
          and w.replicated @> to_jsonb(sub.account_id) then 'replicated'
        else r.own_trust end as trust
      from jsonb_to_recordset(${given}::jsonb) as w(point_id bigint, replicated jsonb)
      join results r on r.point_id = w.point_id
      join submissions sub on sub.id = r.submission_id
      where ${ofSubmission}) told
    where told.id = r.id and r.trust <> told.trust`);
}
