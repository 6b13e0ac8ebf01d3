import { sql } from 'drizzle-orm';
import type { Queryable } from '../../connection/transaction.ts';

/** The clock of the database, as a process sees it. */
export interface DatabaseClock {
  /** What to add to the monotonic clock of this machine for ms since 1970 by the clock of the database. */
  offsetMs: number;
  /** Maximum error of the offset. */
  errorMs: number;
}

/** Round trips of which the shortest counts. The first may open a connection. */
const roundTrips = 24;

/** The monotonic clock of this machine. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Compares the monotonic clock of this machine with the clock of the database. The database reads its clock at some time within a
 * round trip, so the error is at most half of the shortest one.
 */
export async function readDatabaseClock(db: Queryable): Promise<DatabaseClock> {
  let clock: DatabaseClock | null = null;
  for (let trip = 0; trip < roundTrips; trip += 1) {
    const sent = monotonicMs();
    const [row] = (await db.execute(
      sql`select extract(epoch from clock_timestamp())::float8 * 1000 as now`,
    )) as unknown as { now: number }[];
    const errorMs = (monotonicMs() - sent) / 2;
    if (row === undefined) throw new Error('the database returned no time');
    if (clock === null || errorMs < clock.errorMs) clock = { offsetMs: row.now - sent - errorMs, errorMs };
  }
  if (clock === null) throw new Error('the clock of the database was not read');
  return clock;
}

/** Maximum error of a clock that was read before and after a measurement, with its drift in between. */
export const clockErrorMs = (before: DatabaseClock, after: DatabaseClock): number =>
  Math.max(before.errorMs, Math.abs(after.offsetMs - before.offsetMs) + after.errorMs);
