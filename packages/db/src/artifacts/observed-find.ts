import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** Whether the artifact of a submission has readings of the server. Does not load the artifact. */
export async function hasObserved(db: Queryable, submissionId: string): Promise<boolean> {
  const [row] = (await db.execute(sql`
    select exists (select from results where submission_id = ${submissionId}
      and extra -> 'observed_samples' > '0'::jsonb) as found`)) as unknown as { found: boolean }[];
  return row?.found === true;
}
