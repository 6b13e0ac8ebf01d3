import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/queries/account';
import { type Quota, type Take, type Taken, takeQuota, takeQuotas } from '@inferboard/db/queries/rate-limit';
import type { Context, MiddlewareHandler } from 'hono';
import { artifactBytesMax } from '../actions/unpack-artifact.ts';
import type { AppContext, Deps } from '../deps.ts';
import { isInside, visitorOf } from '../inside.ts';
import { costOf, newAccounts, unitOf, uploads } from '../rate-limits.ts';
import { originOf } from './client-address.ts';

/** A quota this request was counted against, and what is left of it. */
export interface Counted {
  quota: Quota;
  taken: Taken;
}

/** What counting by address takes. */
export type DoorDeps = Pick<Deps, 'metrics' | 'rateLimits'>;

/** Notes what was taken for the headers of the answer, and refuses where there was not enough. */
export function settle(deps: Pick<Deps, 'metrics'>, c: Context<AppContext>, quota: Quota, taken: Taken): void {
  c.set('counted', [...(c.get('counted') ?? []), { quota, taken }]);
  if (taken.isAllowed) return;
  deps.metrics.rateLimited.inc({ policy: quota.name });
  const things = unitOf(quota) === 'content-bytes' ? 'bytes' : 'requests';
  throw new DomainError(
    'rate_limited',
    `Too many ${things}: ${quota.quota} are possible in ${quota.windowS} seconds, and what this one costs is not left. Try again in ${taken.resetS} s.`,
  );
}

/** The address that asks; for a page, that of its visitor. */
export const addressOf = (deps: Pick<Deps, 'rateLimits'>, c: Context<AppContext>): string =>
  visitorOf(c) ?? deps.rateLimits.addressOf(originOf(c));

const callerByAddress = (deps: Pick<Deps, 'rateLimits'>, c: Context<AppContext>) => `address ${addressOf(deps, c)}`;

/**
 * Takes one of a quota for a caller, for all processes together.
 *
 * @throws DomainError `rate_limited`
 */
export async function limitCaller(deps: Deps, c: Context<AppContext>, quota: Quota, caller: string): Promise<void> {
  settle(deps, c, quota, await takeQuota(deps.database.db, caller, quota));
}

/**
 * Takes one of a quota for the address that asks, for all processes together.
 *
 * @throws DomainError `rate_limited`
 */
export async function limitRate(deps: Deps, c: Context<AppContext>, quota: Quota): Promise<void> {
  await limitCaller(deps, c, quota, callerByAddress(deps, c));
}

/**
 * Takes of the reads of an address, as a stranger's request does.
 *
 * @throws DomainError `rate_limited`
 */
export function limitStranger(deps: Deps, c: Context<AppContext>): void {
  limitReads(deps, c, callerByAddress(deps, c), 1);
}

function limitReads(deps: DoorDeps, c: Context<AppContext>, caller: string, cost: number): void {
  const { reads } = deps.rateLimits;
  if (reads !== null) settle(deps, c, reads.quota, reads.take(caller, cost));
}

async function limitWrites(deps: Deps, c: Context<AppContext>, principal: Principal): Promise<void> {
  const { accountId, isNew } = principal;
  const caller = callerByKey(principal);
  const { writes } = deps.rateLimits;
  if (writes === null) return;
  const { refusals } = deps.rateLimits;
  const known = refusals.recall(caller);
  if (known !== null) settle(deps, c, writes, known);
  const takes: Take[] = [{ caller, quota: writes }];
  if (c.req.path === '/v1/submissions') {
    if (isNew && c.req.query('dry_run') !== 'true') takes.push({ caller: `account ${accountId}`, quota: newAccounts });
    const cost = Number(c.req.header('content-length') ?? artifactBytesMax);
    // A longer one is refused unread.
    if (cost <= artifactBytesMax) takes.push({ caller, quota: uploads, cost });
  }
  const taken = await takeQuotas(deps.database.db, takes);
  if (taken[0] !== undefined) refusals.note(caller, taken[0]);
  for (const [at, one] of taken.entries()) settle(deps, c, takes[at]?.quota ?? writes, one);
}

/** As whom a key is counted. */
export const callerByKey = ({ keyId }: Principal) => `key ${keyId}`;
/** Agents' questions are reads, however they are sent. */
export const isRead = (c: Context<AppContext>) => c.req.method === 'GET' || c.req.path === '/mcp';

/**
 * Counts what comes from without: reads and what strangers try by cost, changes by key. Comes after the key is known.
 *
 * @throws DomainError `rate_limited`
 */
export function limitRates(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const cost = costOf(c.req.path);
    if (isInside(c) || cost === null) return next();
    const principal = c.get('principal') ?? null;
    if (principal !== null && !isRead(c)) await limitWrites(deps, c, principal);
    else {
      const caller = principal === null ? callerByAddress(deps, c) : callerByKey(principal);
      limitReads(deps, c, caller, isRead(c) ? cost : 1);
    }
    return next();
  };
}

/**
 * Counts what comes to a process that knows nobody's key, such as a site apart, by address and cost.
 *
 * @throws DomainError `rate_limited`
 */
export function limitVisitors(deps: DoorDeps): MiddlewareHandler<AppContext> {
  return (c, next) => {
    const cost = costOf(c.req.path);
    if (cost !== null) limitReads(deps, c, callerByAddress(deps, c), cost);
    return next();
  };
}

const policies = new WeakMap<Quota, string>();

function policyOf(quota: Quota): string {
  const known = policies.get(quota);
  if (known !== undefined) return known;
  const unit = unitOf(quota);
  const policy = `"${quota.name}";q=${quota.quota}${unit === null ? '' : `;qu="${unit}"`};w=${quota.windowS}`;
  policies.set(quota, policy);
  return policy;
}

/** What is left of the quotas a request was counted against, as headers. */
export const rateHeaders = (counted: readonly Counted[]): { 'RateLimit-Policy': string; RateLimit: string } => ({
  'RateLimit-Policy': counted.map(({ quota }) => policyOf(quota)).join(', '),
  RateLimit: counted.map(({ quota, taken }) => `"${quota.name}";r=${taken.remaining};t=${taken.resetS}`).join(', '),
});

/** Says in the headers of every answer, refusals and 304 too, what is left. */
export const tellRates: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  const counted = c.get('counted') ?? [];
  if (counted.length === 0) return;
  const { headers } = c.res;
  for (const [name, value] of Object.entries(rateHeaders(counted))) headers.set(name, value);
  const refused = counted.find(({ taken }) => !taken.isAllowed);
  if (refused !== undefined) headers.set('Retry-After', String(refused.taken.resetS));
};
