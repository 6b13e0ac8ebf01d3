import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';

/** A rate limit: a burst size that is restored over each window. */
export interface Quota {
  name: string;
  quota: number;
  windowS: number;
}

export interface Taken {
  isAllowed: boolean;
  remaining: number;
  /** Whole seconds until the take can succeed if it was rejected; otherwise until the quota is full again. */
  resetS: number;
}

/** A take: the quota, the caller and the amount. */
export interface Take {
  caller: string;
  quota: Quota;
  /** Units to take; at most the size of the quota. */
  cost?: number;
}

const seconds = (of: SQL) => sql`make_interval(secs => ${of})`;
/** The time until which the quota is used, after a take. */
const after = (busyUntil: SQL, cost: SQL) => sql`greatest(${busyUntil}, now()) + ${cost}`;

// Each take also deletes a few rows whose quota is full again. The statement checks all quotas before it updates any, so that a
// rejection takes nothing. The update's condition keeps concurrent takes within each quota.
const takeAll = prepared<{ takes: string }, { key: string; allowed: boolean; busy: number | null }>(sql`
  with asked as (
    select key, ${seconds(sql`g.cost_s`)} as cost, ${seconds(sql`g.window_s`)} as span
    from jsonb_to_recordset(${value('takes')}::jsonb) as g(key text, cost_s float8, window_s float8)
  ), even as (
    delete from rate_limits where ctid in (
      select ctid from rate_limits where busy_until < now() and key not in (select key from asked)
      limit 10 for update skip locked)
  ), refused as (
    select a.key from asked a join rate_limits r on r.key = a.key
    where ${after(sql`r.busy_until`, sql`a.cost`)} > now() + a.span
  ), taken as (
    insert into rate_limits as r (key, busy_until)
    select key, now() + cost from asked where not exists (select 1 from refused) order by key
    on conflict (key) do update set busy_until = ${after(sql`r.busy_until`, sql`(excluded.busy_until - now())`)}
    where ${after(sql`r.busy_until`, sql`(excluded.busy_until - now())`)} <=
      now() + (select a.span from asked a where a.key = excluded.key)
    returning key, busy_until
  )
  select a.key,
    case when exists (select 1 from refused) then not exists (select 1 from refused f where f.key = a.key)
      else t.key is not null end as allowed,
    extract(epoch from coalesce(t.busy_until, r.busy_until) - now())::double precision as busy
  from asked a left join taken t on t.key = a.key left join rate_limits r on r.key = a.key`);

/**
 * Takes from several quotas across all processes: the generic cell rate algorithm in one statement, by the database's clock.
 * Concurrent takes succeed exactly as often as units remain. If one quota rejects, nothing is taken from any.
 * Returns results in the order of the takes. A caller may take from each quota once per call.
 */
export async function takeQuotas(db: Queryable, takes: readonly Take[]): Promise<Taken[]> {
  const asked = takes.map(({ caller, quota: { name, quota, windowS }, cost = 1 }) => ({
    key: `${name} ${caller}`,
    cost_s: (Math.min(cost, quota) * windowS) / quota,
    window_s: windowS,
  }));
  const rows = new Map((await takeAll(db, { takes: JSON.stringify(asked) })).map((row) => [row.key, row]));
  return asked.map(({ key, cost_s, window_s }, at) => {
    const row = rows.get(key);
    const isAllowed = row?.allowed ?? false;
    // Null if the row is new, or if a concurrent first take is not visible yet.
    const busyS = Math.max(0, row?.busy ?? (isAllowed ? 0 : window_s));
    const eachS = window_s / (takes[at]?.quota.quota ?? 1);
    const remaining = Math.max(0, Math.floor((window_s - busyS) / eachS + 1e-9));
    return { isAllowed, remaining, resetS: Math.max(1, Math.ceil(isAllowed ? busyS : busyS + cost_s - window_s)) };
  });
}

/** Takes from one quota; see `takeQuotas`. */
export async function takeQuota(db: Queryable, caller: string, quota: Quota, cost = 1): Promise<Taken> {
  const [taken] = await takeQuotas(db, [{ caller, quota, cost }]);
  if (taken === undefined) throw new Error('no result for a quota');
  return taken;
}
