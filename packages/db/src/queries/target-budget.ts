import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { texts } from '../bulk.ts';
import type { Database } from '../client.ts';
import { type Queryable, type Transaction, transact } from '../transaction.ts';

/**
 * What a server may be asked until an account proves that it controls it: nobody is made to take load. Checks, proofs,
 * tests of webhooks and managed runs count together, whichever accounts and endpoints ask.
 */
export const unprovenLimits = { concurrency_max: 4, requests_per_day: 50 };

/** Seconds that requests under way count without a renewal: longer than one request takes, soon over after a crash. */
export const targetLeaseS = 20;

/** When a busy server may be asked again, in seconds: nobody knows how long its requests take. */
const busyRetryS = 5;

/** Requests under way, until they are released or their lease ends. */
export interface TargetLease {
  id: string;
  targets: readonly string[];
}

/** Why nothing may be asked now: the day's requests are used up, or as many are under way as may be. */
export interface TargetRefusal {
  refused: 'spent' | 'busy';
  /** Whole seconds until it is worth asking again. */
  retryAfterS: number;
}

/** The origin of an address that is stored, as it is counted. */
export const originOf = (url: string): string => new URL(url).origin;

const today = sql`(now() at time zone 'UTC')::date`;
const dayEndsInS = sql`ceil(extract(epoch from (${today} + 1)::timestamp - now() at time zone 'UTC'))::float8`;

/** Locks the targets' rows of today, always in the same order, and says how many requests the fullest has had. */
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

/** Requests under way at the busiest of the targets, those of dead processes left out. */
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
 * Takes of what the targets (names of one server) may be asked today (UTC) and at a time, or refuses and takes nothing.
 * Simultaneous ones, of all processes, never pass a limit together. Runs in the caller's transaction: the targets are locked
 * until it ends.
 *
 * @param asked `concurrency` is 0 where a lease that is held covers the requests
 */
export async function takeTarget(
  tx: Transaction,
  targets: readonly string[],
  { requests, concurrency }: { requests: number; concurrency: number },
): Promise<TargetLease | TargetRefusal> {
  const { used, dayEndsInS } = await lockUsage(tx, targets);
  if (used + requests > unprovenLimits.requests_per_day) return { refused: 'spent', retryAfterS: dayEndsInS };
  // Statements of their own: they see what was committed while the lock was waited for.
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

/** Holds requests under way for another lease. False where it ended before: others may have taken their place. */
export async function renewTarget(db: Queryable, { id, targets }: TargetLease): Promise<boolean> {
  const renewed = await db.execute(sql`
    update target_leases set until = ${leaseEnd}
    where target = any(${texts(targets)}) and id = ${id} and until > clock_timestamp() returning 1`);
  return renewed.length === targets.length;
}

/** Ends a lease: its requests are over. */
export async function releaseTarget(db: Queryable, { id, targets }: TargetLease): Promise<void> {
  await db.execute(sql`delete from target_leases where target = any(${texts(targets)}) and id = ${id}`);
}

/**
 * Makes one request to a server that nobody has proven to be theirs, within what it may be asked, or answers why not now.
 * It must end within `targetLeaseS`.
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

/** Requests that are left today (UTC) for a server that is not proven, and the seconds until there are all of them again. */
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
