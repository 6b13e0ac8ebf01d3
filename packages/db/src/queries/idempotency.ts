import { and, eq, sql } from 'drizzle-orm';
import { idempotencyKeys } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** Which request it is: names are the caller's, so each key has its own. */
export interface RequestName {
  keyId: string;
  route: string;
  name: string;
}

export interface StoredAnswer {
  status: number;
  location: string | null;
  /** Packed with gzip. */
  body: Uint8Array;
}

/** What is known of a request by its name. */
export type Claim =
  | { state: 'ours' }
  | { state: 'running' | 'other_request' }
  | { state: 'answered'; answer: StoredAnswer };

/** How often a process says that it still works on a request, in milliseconds. */
export const beat_ms = 3000;
/** A request of which nothing was heard for this long is over: its process died, or lost the database. */
const abandonedAfter = sql`interval '10 seconds'`;
const keptFor = sql`interval '48 hours'`;

const named = ({ keyId, route, name }: RequestName) =>
  and(eq(idempotencyKeys.keyId, keyId), eq(idempotencyKeys.route, route), eq(idempotencyKeys.name, name));

/** Names a request, or tells what became of the one that has the name. Names are kept for two days. */
export async function claimRequest(db: Queryable, request: RequestName, fingerprint: string): Promise<Claim> {
  await db.execute(sql`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where started_at < now() - ${keptFor} limit 100 for update skip locked)`);
  const [claimed] = await db
    .insert(idempotencyKeys)
    .values({ ...request, fingerprint })
    .onConflictDoUpdate({
      target: [idempotencyKeys.keyId, idempotencyKeys.route, idempotencyKeys.name],
      set: { startedAt: sql`now()` },
      setWhere: sql`${idempotencyKeys.status} is null and ${idempotencyKeys.fingerprint} = ${fingerprint}
        and ${idempotencyKeys.startedAt} < now() - ${abandonedAfter}`,
    })
    .returning({ name: idempotencyKeys.name });
  if (claimed !== undefined) return { state: 'ours' };
  const [row] = await db.select().from(idempotencyKeys).where(named(request));
  // Given up between the two statements: whoever asks again finds it free.
  if (row === undefined) return { state: 'running' };
  if (row.fingerprint !== fingerprint) return { state: 'other_request' };
  const { status, location, body } = row;
  return status === null || body === null
    ? { state: 'running' }
    : { state: 'answered', answer: { status, location, body } };
}

const unanswered = (request: RequestName) => and(named(request), sql`${idempotencyKeys.status} is null`);

/** Says that somebody still works on the request. */
export async function beatRequest(db: Queryable, request: RequestName): Promise<void> {
  await db.update(idempotencyKeys).set({ startedAt: sql`now()` }).where(unanswered(request));
}

/**
 * Keeps the answer, in the transaction that stores what it tells of. False where another was kept before, or the name is
 * free again: then that transaction must not commit, or the work of two that held the name is there twice.
 */
export async function keepAnswer(db: Queryable, request: RequestName, answer: StoredAnswer): Promise<boolean> {
  const kept = await db
    .update(idempotencyKeys)
    .set(answer)
    .where(unanswered(request))
    .returning({ name: idempotencyKeys.name });
  return kept.length > 0;
}

/** Forgets a request that was refused: nothing came of it, and it may be put right under the same name. */
export async function releaseRequest(db: Queryable, request: RequestName): Promise<void> {
  await db.delete(idempotencyKeys).where(unanswered(request));
}
