import { asc, eq } from 'drizzle-orm';
import { submissions } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** The submissions that hold what a run measured, oldest first: one, or several where its records are many. */
export async function listSubmissionsOfRun(db: Queryable, runId: string): Promise<string[]> {
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .where(eq(submissions.runId, runId))
    .orderBy(asc(submissions.id));
  return rows.map(({ id }) => id);
}
