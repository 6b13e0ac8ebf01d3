import { asc, eq } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { submissions } from '../schema/index.ts';

/** The submissions with a run's results, oldest first: usually one, several if the records are large. */
export async function listSubmissionsOfRun(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .where(eq(submissions.runId, runId))
    .orderBy(asc(submissions.id));
  return rows.map(({ id }) => id);
}
