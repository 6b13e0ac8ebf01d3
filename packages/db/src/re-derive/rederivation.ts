import { and, asc, count, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { insertAuditEntry } from '../accounts/audit.ts';
import type { Database } from '../connection/client.ts';
import { createId } from '../connection/ids.ts';
import type { Queryable } from '../connection/transaction.ts';
import { rederivations, submissions } from '../schema/index.ts';

/** A pass over all stored submissions, or those of one tool. */
export interface Rederivation {
  id: string;
  release: string;
  /** Id of the last processed submission; empty at the start. */
  reached: string;
}

const ofTool = (tool: string | null): SQL | undefined => (tool === null ? undefined : eq(submissions.tool, tool));

/** The next submissions after an id, in id order. */
export async function listSubmissionIds(
  db: Queryable,
  { tool, after, limit }: { tool: string | null; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: submissions.id })
    .from(submissions)
    .where(and(ofTool(tool), gt(submissions.id, after)))
    .orderBy(asc(submissions.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** Number of submissions after an id. */
export async function countSubmissions(db: Queryable, tool: string | null, after: string): Promise<number> {
  const [row] = await db
    .select({ n: count() })
    .from(submissions)
    .where(and(ofTool(tool), gt(submissions.id, after)));
  return row?.n ?? 0;
}

/** The interrupted pass of this release, or a new one. */
export async function beginRederivation(db: Queryable, release: string, tool: string | null): Promise<Rederivation> {
  const columns = { id: rederivations.id, release: rederivations.release, reached: rederivations.reached };
  const [open] = await db
    .select(columns)
    .from(rederivations)
    .where(
      and(
        eq(rederivations.release, release),
        isNull(rederivations.endedAt),
        tool === null ? isNull(rederivations.tool) : eq(rederivations.tool, tool),
      ),
    )
    .orderBy(desc(rederivations.id))
    .limit(1);
  if (open !== undefined) return open;
  return db.transaction(async (tx) => {
    const [begun] = await tx
      .insert(rederivations)
      .values({ id: createId('red'), release, tool })
      .returning(columns);
    if (begun === undefined) throw new Error('a re-derivation was not stored');
    await insertAuditEntry(tx, {
      act: 'results_rederived',
      target: begun.id,
      accountId: null,
      keyId: null,
      requestId: null,
      detail: { release, tool },
    });
    return begun;
  });
}

export interface Progress {
  reached: string;
  read: number;
  changed: number;
  unreadable: number;
}

/** Records progress; the counts are those since the last call. */
export async function noteProgress(db: Queryable, id: string, progress: Progress): Promise<void> {
  await db
    .update(rederivations)
    .set({
      reached: progress.reached,
      submissionsRead: sql`${rederivations.submissionsRead} + ${progress.read}`,
      submissionsChanged: sql`${rederivations.submissionsChanged} + ${progress.changed}`,
      submissionsUnreadable: sql`${rederivations.submissionsUnreadable} + ${progress.unreadable}`,
    })
    .where(eq(rederivations.id, id));
}

export async function endRederivation(db: Queryable, id: string): Promise<void> {
  await db.update(rederivations).set({ endedAt: sql`now()` }).where(eq(rederivations.id, id));
}

/** An arbitrary number that all releases share. */
const advisoryLock = 4_707_230_616;

/** Runs work that only one process may do at a time. Returns null without running it if another process holds the lock. */
export async function rederiveAlone<T>({ sql: client }: Database, work: () => Promise<T>): Promise<T | null> {
  const held = await client.reserve();
  try {
    const [row] = await held`select pg_try_advisory_lock(${advisoryLock}) as locked`;
    if (row?.locked !== true) return null;
    try {
      return await work();
    } finally {
      await held`select pg_advisory_unlock(${advisoryLock})`;
    }
  } finally {
    held.release();
  }
}
