import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database } from '../connection/client.ts';
import { type Queryable, type Transaction, transact } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/**
 * Limits of a server until an account proves control of it, so that no third party is put under load. Checks, proofs, webhook
 * tests and managed runs count together, across accounts and endpoints.
 */
export const unprovenLimits = { concurrency_max: 4, requests_per_day: 50 };

/** Seconds that a lease of open requests lasts without renewal: longer than one request, and short after a crash. */
export const targetLeaseS = 20;

/** Seconds until a retry at a busy server. The duration of its requests is unknown. */
const busyRetryS = 5;

/** Open requests, until they are released or the lease ends. */
export interface TargetLease {
  id: string;
  targets: readonly string[];
}

/** Why no request is allowed now: the daily limit is reached, or the maximum of requests is open. */
export interface TargetRefusal {
  refused: 'spent' | 'busy';
  /** Whole seconds until a retry makes sense. */
  retryAfterS: number;
}

/** The origin of a stored URL, by which requests are counted. */
export const originOf = (url: string): string => new URL(url).origin;

const today = sql`(now() at time zone 'UTC')::date`;
const dayEndsInS = sql`ceil(extract(epoch from (${today} + 1)::timestamp - now() at time zone 'UTC'))::float8`;

/** Locks the targets' rows of today, always in the same order, and returns the highest usage among them. */
async function lockUsage(tx: Transaction, targets: readonly string[]): Promise<{ used: number; dayEndsInS: number }> {
  const rows = (await tx.execute(sql`
    insert into target_usage as u (target, day, requests)
    select t, ${today}, 0 from unnest(${texts(targets)}) as t order by t
    on conflict (target, day) do update set requests = u.requests
    returning requests::float8 as used,
      ${dayEndsInS} as "dayEndsInS"`)) as unknown as {
    used: number;
    dayEndsInS: number;
  }[];
  return { used: Math.max(...rows.map(({ used }) => used)), dayEndsInS: rows[0]?.dayEndsInS ?? 1 };
}

/** Number of open requests at the busiest target, without expired leases. */
async function countUnderWay(tx: Transaction, targets: readonly string[]): Promise<number> {
  const [row] = (await tx.execute(sql`
    select coalesce(max(n), 0)::float8 as n from (
      select sum(requests) as n from target_leases
      where target = any(${texts(targets)}) and until > clock_timestamp() group by target) t`)) as unknown as {
    n: number;
  }[];
  return row?.n ?? 0;
}

/**
 * Takes from the daily and concurrency limits of the targets, which are names of one server. Takes nothing if a limit is
 * reached. Concurrent calls from all processes never exceed a limit together. Locks the targets until the caller's transaction
 * ends.
 *
 * @param asked `concurrency` is 0 if a current lease covers the requests
 */
export async function takeTarget(
  tx: Transaction,
  targets: readonly string[],
  { requests, concurrency }: { requests: number; concurrency: number },
): Promise<TargetLease | TargetRefusal> {
  const { used, dayEndsInS } = await lockUsage(tx, targets);
  if (used + requests > unprovenLimits.requests_per_day) return { refused: 'spent', retryAfterS: dayEndsInS };
  // Separate statements, which see rows committed during the wait for the lock.
  if (concurrency > 0 && (await countUnderWay(tx, targets)) + concurrency > unprovenLimits.concurrency_max)
    return { refused: 'busy', retryAfterS: busyRetryS };
  const lease = { id: randomUUID(), targets };
  await tx.execute(sql`
    update target_usage set requests = requests + ${requests}::bigint
    where target = any(${texts(targets)}) and day = ${today}`);
  if (concurrency > 0)
    await tx.execute(sql`
      insert into target_leases (target, id, requests, until)
      select t, ${lease.id}, ${concurrency}::int, ${leaseEnd} from unnest(${texts(targets)}) as t`);
  return lease;
}

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${targetLeaseS})`;

/** Renews a lease of open requests. Returns false if it has expired, because other requests may have taken its place. */
export async function renewTarget(db: Queryable, { id, targets }: TargetLease): Promise<boolean> {
  const renewed = await db.execute(sql`
    update target_leases set until = ${leaseEnd}
    where target = any(${texts(targets)}) and id = ${id} and until > clock_timestamp() returning 1`);
  return renewed.length === targets.length;
}

/** Releases a lease after its requests have ended. */
export async function releaseTarget(db: Queryable, { id, targets }: TargetLease): Promise<void> {
  await db.execute(sql`delete from target_leases where target = any(${texts(targets)}) and id = ${id}`);
}

/**
 * Makes one request to an unverified server within its limits, or returns why it is not allowed now. The request must end
 * within `targetLeaseS`.
 */
export async function withinTarget<T>(
  db: Database['db'],
  targets: readonly string[],
  ask: () => Promise<T>,
): Promise<{ answer: T } | TargetRefusal> {
  const taken = await transact(db, (tx) => takeTarget(tx, targets, { requests: 1, concurrency: 1 }));
  if ('refused' in taken) return taken;
  try {
    return { answer: await ask() };
  } finally {
    await releaseTarget(db, taken);
  }
}

/** Remaining requests today (UTC) for an unverified server, and the seconds until the limit resets. */
export async function leftAtTarget(db: Queryable, target: string): Promise<{ left: number; dayEndsInS: number }> {
  const [row] = (await db.execute(sql`
    select ${dayEndsInS} as "dayEndsInS",
      coalesce((select requests from target_usage where target = ${target} and day = ${today}), 0)::float8 as used`)) as unknown as {
    used: number;
    dayEndsInS: number;
  }[];
  const { used = 0, dayEndsInS: endsInS = 1 } = row ?? {};
  return { left: Math.max(0, unprovenLimits.requests_per_day - used), dayEndsInS: endsInS };
}
