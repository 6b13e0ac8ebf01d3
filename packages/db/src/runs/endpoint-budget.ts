import type { PlanLimits } from '@inferboard/core/plans/scale';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import type { EndpointRow } from './endpoint.ts';
import { leftAtTarget, originOf, unprovenLimits } from './target-budget.ts';

/** Daily requests reserved from plans: workers use them to count prompt tokens for the model. */
export const countingRequests = 20;

/** An endpoint's usage on a day. */
export interface DayUsage {
  /** Requests of any type. */
  requests: number;
  /** Input and output tokens. */
  tokens: number;
}

/** Daily limits; null: no limit. */
export interface DayCaps {
  requests: number | null;
  tokens: number | null;
}

type Ruled = Pick<EndpointRow, 'requestsPerDay' | 'tokensPerDay'>;

const least = (...limits: (number | null)[]): number | null => {
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** The owner's daily limits of an endpoint. The shared limits of unverified endpoints are counted per server. */
export const capsOf = ({ requestsPerDay, tokensPerDay }: Ruled): DayCaps => ({
  requests: requestsPerDay,
  tokens: tokensPerDay,
});

/** Today's usage (UTC), and the remaining requests of the origin. */
export interface DayState {
  used: DayUsage;
  /** Remaining requests for the origin of an unverified endpoint; null if verified. */
  leftAtOrigin: number | null;
}

/** The requested limits of a run, reduced to what its endpoint has left today. Zero means none. */
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

/** An endpoint's usage today (UTC). */
export async function readUsage(db: Queryable, endpointId: string): Promise<DayUsage> {
  const [row] = (await db.execute(sql`
    select requests::float8, tokens::float8 from endpoint_usage
    where endpoint_id = ${endpointId} and day = ${today}`)) as unknown as DayUsage[];
  return row ?? { requests: 0, tokens: 0 };
}

/** An endpoint's usage today (UTC), and the remaining requests of its origin if it is unverified. */
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
 * Takes from an endpoint's budget of today (UTC), all or nothing. Returns false if a limit would be exceeded. Concurrent calls
 * from any process never exceed a limit together.
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
