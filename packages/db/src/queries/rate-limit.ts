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
  /** Whole seconds until there is enough again, where there is not now; else until all are back. */
  resetS: number;
}

/**
 * Takes of a quota, for all processes together: the generic cell rate algorithm in one statement, by the database's
 * clock. Of simultaneous takes exactly as many pass as are left. One that is refused takes nothing.
 *
 * @param cost how many of the quota are taken; at most all of them
 */
export async function takeQuota(
  db: Queryable,
  caller: string,
  { name, quota, windowS }: Quota,
  cost = 1,
): Promise<Taken> {
  const key = `${name} ${caller}`;
  const eachS = windowS / quota;
  const costS = Math.min(cost, quota) * eachS;
  const seconds = (value: number) => sql`make_interval(secs => ${value}::double precision)`;
  // Those who are even again are forgotten in passing, a few with every take.
  const [row] = (await db.execute(sql`
    with even as (
      delete from rate_limits where ctid in (
        select ctid from rate_limits where busy_until < now() and key <> ${key} limit 10 for update skip locked)
    ), taken as (
      insert into rate_limits as r (key, busy_until) values (${key}, now() + ${seconds(costS)})
      on conflict (key) do update set busy_until = greatest(r.busy_until, now()) + ${seconds(costS)}
      where greatest(r.busy_until, now()) + ${seconds(costS)} <= now() + ${seconds(windowS)}
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
  return { isAllowed, remaining, resetS: Math.max(1, Math.ceil(isAllowed ? busyS : busyS + costS - windowS)) };
}
