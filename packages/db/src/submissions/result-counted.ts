import type { Finding } from '@inferboard/core/checks/check';
import type { ResultStatus } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { takeRows } from '../copy/take-rows.ts';

/** The fields of a result that summaries count. */
export interface CountedResult {
  id: string;
  status: ResultStatus;
  /** Id of the result's system. */
  system: string;
  findings: Pick<Finding, 'code' | 'severity' | 'message'>[];
}

/** The counted fields of a submission's results, in artifact order. */
export async function listCountedResults(db: Queryable, submissionId: string): Promise<CountedResult[]> {
  const rows = (await db.execute(sql`
    select r.id, r.status, p.system_id as system, r.findings
    from results r join points p on p.id = r.point_id
    where r.submission_id = ${submissionId} order by r.ordinal`)) as unknown as CountedResult[];
  return takeRows(rows);
}
