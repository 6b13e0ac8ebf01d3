import { type SQL, sql } from 'drizzle-orm';
import { prepared, value } from '../statement.ts';
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

/** What is taken of a quota, by whom. */
export interface Take {
  caller: string;
  quota: Quota;
  /** How many of the quota are taken; at most all of them. */
  cost?: number;
}

const seconds = (of: SQL) => sql`make_interval(secs => ${of})`;
/** Busy until then, after a take. */
const after = (busyUntil: SQL, cost: SQL) => sql`greatest(${busyUntil}, now()) + ${cost}`;

// Those who are even again are deleted in passing, a few with every take. What is free is looked at first, so that a
// refusal takes nothing of the other quotas; the condition of the update keeps simultaneous takes within each.
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
 * Takes of some quotas, for all processes together: the generic cell rate algorithm in one statement, by the database's
 * clock. Of simultaneous takes exactly as many pass as are left. Where one is refused, nothing is taken of any.
 * Answers in the order of the takes; no quota is taken by one caller twice.
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
    // Null where nothing was taken before, or where a simultaneous take was the first one and is not seen yet.
    const busyS = Math.max(0, row?.busy ?? (isAllowed ? 0 : window_s));
    const eachS = window_s / (takes[at]?.quota.quota ?? 1);
    const remaining = Math.max(0, Math.floor((window_s - busyS) / eachS + 1e-9));
    return { isAllowed, remaining, resetS: Math.max(1, Math.ceil(isAllowed ? busyS : busyS + cost_s - window_s)) };
  });
}

/** Takes of one quota, as `takeQuotas` does. */
export async function takeQuota(db: Queryable, caller: string, quota: Quota, cost = 1): Promise<Taken> {
  const [taken] = await takeQuotas(db, [{ caller, quota, cost }]);
  if (taken === undefined) throw new Error('a quota was taken without an answer');
  return taken;
}
