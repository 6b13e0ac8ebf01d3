import { and, eq, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { idempotencyKeys } from '../schema/index.ts';

/** Identifies a request. Clients choose the names, so each API key, or address without a key, has a separate namespace. */
export interface RequestName {
  keyId: string;
  route: string;
  name: string;
}

export interface StoredAnswer {
  status: number;
  location: string | null;
  /** Compressed with gzip. */
  body: Uint8Array;
}

/** The state of a named request. */
export type Claim =
  | { state: 'ours' }
  | { state: 'running' | 'other_request' }
  | { state: 'answered'; answer: StoredAnswer };

/** Interval in milliseconds at which a process confirms that it still works on a request. */
export const beat_ms = 3000;
/** A request without confirmation for this long is abandoned: its process died, or lost the database. */
const abandonedAfter = sql`interval '10 seconds'`;
const keptFor = sql`interval '48 hours'`;

const named = ({ keyId, route, name }: RequestName) =>
  and(eq(idempotencyKeys.keyId, keyId), eq(idempotencyKeys.route, route), eq(idempotencyKeys.name, name));

const ofName = sql`(${value('keyId')}::text, ${value('route')}::text, ${value('name')}::text)`;

const claimName = prepared<
  { keyId: string; route: string; name: string; fingerprint: string },
  { isOurs: boolean; fingerprint: string | null } & { [K in keyof StoredAnswer]: StoredAnswer[K] | null }
>(sql`
  with expired as (
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys
      where started_at < now() - ${keptFor} and (key_id, route, name) <> ${ofName}
      limit 100 for update skip locked)
  ), claimed as (
    insert into idempotency_keys as k (key_id, route, name, fingerprint)
    select w.*, ${value('fingerprint')} from (values ${ofName}) as w
    on conflict (key_id, route, name) do update
      set fingerprint = excluded.fingerprint, started_at = now(), status = null, location = null, body = null
      where k.started_at < now() - ${keptFor}
        or (k.status is null and k.fingerprint = excluded.fingerprint and k.started_at < now() - ${abandonedAfter})
    returning 1
  )
  select exists (select 1 from claimed) as "isOurs", k.fingerprint, k.status, k.location, k.body
  from (select 1) one left join idempotency_keys k on (k.key_id, k.route, k.name) = ${ofName}`);

/** Claims the name of a request, or returns the state of the request that has it. Names expire after two days. */
export async function claimRequest(db: Queryable, request: RequestName, fingerprint: string): Promise<Claim> {
  const { keyId, route, name } = request;
  const [row] = await claimName(db, { keyId, route, name, fingerprint });
  if (row?.isOurs) return { state: 'ours' };
  // Another process claimed it while this statement ran.
  if (row === undefined || row.fingerprint === null) return { state: 'running' };
  if (row.fingerprint !== fingerprint) return { state: 'other_request' };
  const { status, location, body } = row;
  return status === null || body === null
    ? { state: 'running' }
    : { state: 'answered', answer: { status, location, body } };
}

const unanswered = (request: RequestName) => and(named(request), sql`${idempotencyKeys.status} is null`);

/** Confirms that a process still works on the request. */
export async function beatRequest(db: Queryable, request: RequestName): Promise<void> {
  await db.update(idempotencyKeys).set({ startedAt: sql`now()` }).where(unanswered(request));
}

/**
 * Stores the response, in the transaction of the change it describes. Returns false if another response was stored, or the name
 * is free again. The transaction must then roll back; otherwise the work of two claims would be stored.
 */
export async function keepAnswer(db: Queryable, request: RequestName, answer: StoredAnswer): Promise<boolean> {
  const kept = await db
    .update(idempotencyKeys)
    .set(answer)
    .where(unanswered(request))
    .returning({ name: idempotencyKeys.name });
  return kept.length > 0;
}

/** Releases the name of a rejected request, so that a corrected request can reuse it. */
export async function releaseRequest(db: Queryable, request: RequestName): Promise<void> {
  await db.delete(idempotencyKeys).where(unanswered(request));
}
