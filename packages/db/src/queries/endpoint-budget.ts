import type { PlanLimits } from '@inferboard/core/plans/scale';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../transaction.ts';
import type { EndpointRow } from './endpoint.ts';
import { leftAtTarget, originOf, unprovenLimits } from './target-budget.ts';

/** Requests of a day that plans leave alone: with them a worker counts how long its prompts are for the model. */
export const countingRequests = 20;

/** What was asked of an endpoint on a day. */
export interface DayUsage {
  /** Requests of any kind. */
  requests: number;
  /** Tokens, in and out. */
  tokens: number;
}

/** What may be asked of it on a day; null: no limit. */
export interface DayCaps {
  requests: number | null;
  tokens: number | null;
}

type Ruled = Pick<EndpointRow, 'requestsPerDay' | 'tokensPerDay'>;

const least = (...limits: (number | null)[]): number | null => {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** What its owner lets an endpoint be asked on a day. What all unproven ones share is counted by their server. */
export const capsOf = ({ requestsPerDay, tokensPerDay }: Ruled): DayCaps => ({
  requests: requestsPerDay,
  tokens: tokensPerDay,
});

/** What was asked today (UTC), and what that leaves. */
export interface DayState {
  used: DayUsage;
  /** Requests that are left for the origin of an unproven endpoint; null where it is proven. */
  leftAtOrigin: number | null;
}

/** The limits that were asked for a run, narrowed to what its endpoint may still be asked today. Zero: nothing. */
export function limitsOf(endpoint: Ruled, { used, leftAtOrigin }: DayState, asked: PlanLimits): PlanLimits {
  const caps = capsOf(endpoint);
  const left = (cap: number | null, gone: number) => (cap === null ? null : Math.max(0, cap - gone));
  return {
    durationS: asked.durationS,
    requests: least(
      asked.requests,
      left(caps.requests, used.requests + countingRequests),
      left(leftAtOrigin, countingRequests),
    ),
    tokens: least(asked.tokens, left(caps.tokens, used.tokens)),
    concurrency: least(asked.concurrency, leftAtOrigin === null ? null : unprovenLimits.concurrency_max),
  };
}

const today = sql`(now() at time zone 'UTC')::date`;

/** What an endpoint was asked today (UTC). */
export async function readUsage(db: Queryable, endpointId: string): Promise<DayUsage> {
  const [row] = (await db.execute(sql`
    select requests::float8, tokens::float8 from endpoint_usage
    where endpoint_id = ${endpointId} and day = ${today}`)) as unknown as DayUsage[];
  return row ?? { requests: 0, tokens: 0 };
}

/** What an endpoint was asked today (UTC), and what is left for its origin where it is not proven. */
export async function readDay(
  db: Queryable,
  { id, baseUrl, verifiedBy }: Pick<EndpointRow, 'id' | 'baseUrl' | 'verifiedBy'>,
): Promise<DayState> {
  return {
    used: await readUsage(db, id),
    leftAtOrigin: verifiedBy === null ? (await leftAtTarget(db, originOf(baseUrl))).left : null,
  };
}

/**
 * Takes of what an endpoint may be asked today (UTC), all of it or nothing. False where it would pass a cap.
 * Simultaneous ones, of whatever process, never pass it together.
 */
export async function takeBudget(
  db: Queryable,
  endpointId: string,
  { requests, tokens }: DayUsage,
  caps: DayCaps,
): Promise<boolean> {
  const within = (column: 'requests' | 'tokens', sum: typeof today) =>
    sql`coalesce(${sum} <= ${caps[column]}::bigint, true)`;
  const taken = await db.execute(sql`
    insert into endpoint_usage as u (endpoint_id, day, requests, tokens)
    select ${endpointId}, ${today}, ${requests}::bigint, ${tokens}::bigint
    where ${within('requests', sql`${requests}::bigint`)} and ${within('tokens', sql`${tokens}::bigint`)}
    on conflict (endpoint_id, day) do update
      set requests = u.requests + excluded.requests, tokens = u.tokens + excluded.tokens
      where ${within('requests', sql`u.requests + excluded.requests`)}
        and ${within('tokens', sql`u.tokens + excluded.tokens`)}
    returning 1`);
  return taken.length > 0;
}
