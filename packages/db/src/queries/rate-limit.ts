import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';

/** How often something may be done: so many times at once, and as many again over each window. */
export interface Quota {
  name: string;
  quota: number;
  windowS: number;
}

export interface Taken {
  isAllowed: boolean;
  remaining: number;
  /** Whole seconds until there is one more, where there is none now; else until all are back. */
  resetS: number;
}

/**
 * Takes one of a quota, for all processes together: the generic cell rate algorithm in one statement, by the database's
 * clock. Of simultaneous takes exactly as many pass as are left.
 */
export async function takeOne(db: Queryable, caller: string, { name, quota, windowS }: Quota): Promise<Taken> {
  const key = `${name} ${caller}`;
  const eachS = windowS / quota;
  const seconds = (value: number) => sql`make_interval(secs => ${value}::double precision)`;
  await db.execute(sql`
    delete from rate_limits where ctid in (
      select ctid from rate_limits where busy_until < now() limit 10 for update skip locked)`);
  const [row] = (await db.execute(sql`
    with taken as (
      insert into rate_limits as r (key, busy_until) values (${key}, now() + ${seconds(eachS)})
      on conflict (key) do update set busy_until = greatest(r.busy_until, now()) + ${seconds(eachS)}
      where greatest(r.busy_until, now()) + ${seconds(eachS)} <= now() + ${seconds(windowS)}
      returning busy_until
    )
    select exists (select 1 from taken) as allowed,
      extract(epoch from coalesce((select busy_until from taken),
        (select busy_until from rate_limits where key = ${key})) - now())::double precision as busy`)) as unknown as {
    allowed: boolean;
    busy: number | null;
  }[];
  // Null where a simultaneous take was the first one and is not seen yet.
  const busyS = Math.max(0, row?.busy ?? windowS);
  const remaining = Math.max(0, Math.floor((windowS - busyS) / eachS + 1e-9));
  const isAllowed = row?.allowed ?? false;
  return { isAllowed, remaining, resetS: Math.max(1, Math.ceil(isAllowed ? busyS : busyS + eachS - windowS)) };
}
