import type { Finding } from '@inferboard/core/checks/check';
import type { ResultStatus } from '@inferboard/core/result';
import { sql } from 'drizzle-orm';
import { takeRows } from '../take-rows.ts';
import type { Queryable } from '../transaction.ts';

/** What of a result is counted. */
export interface CountedResult {
  id: string;
  status: ResultStatus;
  /** Id of its system. */
  system: string;
  findings: Pick<Finding, 'code' | 'severity' | 'message'>[];
}

/** What is counted of the results of one submission, in the order of its artifact. */
export async function listCountedResults(db: Queryable, submissionId: string): Promise<CountedResult[]> {
  const rows = (await db.execute(sql`
    select r.id, r.status, p.system_id as system, r.findings
    from results r join points p on p.id = r.point_id
    where r.submission_id = ${submissionId} order by r.ordinal`)) as unknown as CountedResult[];
  return takeRows(rows);
}
