import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/accounts/account';
import { type Quota, type Take, type Taken, takeQuota, takeQuotas } from '@inferboard/db/accounts/rate-limit';
import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInternal, visitorOf } from '../http/internal-requests.ts';
import { costOf, newAccounts, unitOf, uploads } from '../http/rate-limits.ts';
import { artifactBytesMax } from '../submissions/actions/unpack-artifact.ts';
import { originOf } from './client-address.ts';

/** A quota that this request was counted against, and its remainder. */
export interface Counted {
  quota: Quota;
  taken: Taken;
}

/** Dependencies for counting by address. */
export type CommonDeps = Pick<Deps, 'metrics' | 'rateLimits'>;

const grouped = (count: number) => count.toLocaleString('en-US');

/**
 * Records the remaining quota for the response headers, and rejects the request if the quota is used up. If a quota is counted for
 * several callers, the headers show the one with the least left.
 */
export function enforceQuota(deps: Pick<Deps, 'metrics'>, c: Context<AppContext>, quota: Quota, taken: Taken): void {
  const counted = c.get('counted') ?? [];
  const before = counted.find((one) => one.quota === quota)?.taken;
  if (before === undefined || taken.remaining <= before.remaining)
    c.set('counted', [...counted.filter((one) => one.quota !== quota), { quota, taken }]);
  if (taken.isAllowed) return;
  deps.metrics.rateLimited.inc({ policy: quota.name });
  const things = unitOf(quota) === 'content-bytes' ? 'bytes' : 'requests';
  throw new DomainError(
    'rate_limited',
    `Rate limit exceeded: ${grouped(quota.quota)} ${things} per ${grouped(quota.windowS)} seconds. Try again in ${taken.resetS} s.`,
  );
}

/** The client's address; for a request of a page, the visitor's address. */
export const addressOf = (deps: Pick<Deps, 'rateLimits'>, c: Context<AppContext>): string =>
  visitorOf(c) ?? deps.rateLimits.addressOf(originOf(c));

const callerByAddress = (deps: Pick<Deps, 'rateLimits'>, c: Context<AppContext>) => `address ${addressOf(deps, c)}`;

/**
 * Takes one unit of a quota for a caller, shared by all processes.
 *
 * @throws DomainError `rate_limited`
 */
export async function limitCaller(deps: Deps, c: Context<AppContext>, quota: Quota, caller: string): Promise<void> {
  enforceQuota(deps, c, quota, await takeQuota(deps.database.db, caller, quota));
}

/**
 * Takes one unit of a quota for the client's address, shared by all processes.
 *
 * @throws DomainError `rate_limited`
 */
export async function limitRate(deps: Deps, c: Context<AppContext>, quota: Quota): Promise<void> {
  await limitCaller(deps, c, quota, callerByAddress(deps, c));
}

/**
 * Takes from the read quota of an address, as for an anonymous request.
 *
 * @throws DomainError `rate_limited`
 */
export function limitAnonymous(deps: Deps, c: Context<AppContext>): void {
  limitReads(deps, c, callerByAddress(deps, c), 1);
}

function limitReads(deps: CommonDeps, c: Context<AppContext>, caller: string, cost: number): void {
  const { reads } = deps.rateLimits;
  if (reads !== null) enforceQuota(deps, c, reads.quota, reads.take(caller, cost));
}

async function limitWrites(deps: Deps, c: Context<AppContext>, principal: Principal): Promise<void> {
  const { accountId, isNew } = principal;
  const caller = callerByKey(principal);
  const { writes } = deps.rateLimits;
  if (writes === null) return;
  const { refusals } = deps.rateLimits;
  const known = refusals.recall(caller);
  if (known !== null) enforceQuota(deps, c, writes, known);
  const takes: Take[] = [{ caller, quota: writes }];
  if (c.req.path === '/v1/submissions') {
    if (isNew && c.req.query('dry_run') !== 'true') takes.push({ caller: `account ${accountId}`, quota: newAccounts });
    const cost = Number(c.req.header('content-length') ?? artifactBytesMax);
    // A longer body is rejected unread.
    if (cost <= artifactBytesMax) takes.push({ caller, quota: uploads, cost });
  }
  const taken = await takeQuotas(deps.database.db, takes);
  if (taken[0] !== undefined) refusals.note(caller, taken[0]);
  for (const [at, one] of taken.entries()) enforceQuota(deps, c, takes[at]?.quota ?? writes, one);
}

/** The caller name of a key in quotas. */
export const callerByKey = ({ keyId }: Principal) => `key ${keyId}`;
/** Agents' queries are reads, regardless of the method. */
export const isRead = (c: Context<AppContext>) => c.req.method === 'GET' || c.req.path === '/mcp';

/**
 * Counts external requests: reads and anonymous attempts by cost, writes by key. It runs after authentication.
 *
 * @throws DomainError `rate_limited`
 */
export function limitRates(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const cost = costOf(c.req.path);
    if (isInternal(c) || cost === null) return next();
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
 * Counts further questions of one request, each like a request.
 *
 * @throws DomainError `rate_limited`
 */
export function limitMore(deps: Deps, c: Context<AppContext>, more: number): void {
  const cost = costOf(c.req.path);
  const principal = c.get('principal') ?? null;
  if (more <= 0 || cost === null || isInternal(c)) return;
  limitReads(deps, c, principal === null ? callerByAddress(deps, c) : callerByKey(principal), more * cost);
}

/**
 * Counts requests to a process that does not authenticate keys, such as a separate site, by address and cost.
 *
 * @throws DomainError `rate_limited`
 */
export function limitVisitors(deps: CommonDeps): MiddlewareHandler<AppContext> {
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

/** Headers with the remainder of each quota that the request was counted against. */
export const rateHeaders = (counted: readonly Counted[]): { 'RateLimit-Policy': string; RateLimit: string } => ({
  'RateLimit-Policy': counted.map(({ quota }) => policyOf(quota)).join(', '),
  RateLimit: counted.map(({ quota, taken }) => `"${quota.name}";r=${taken.remaining};t=${taken.resetS}`).join(', '),
});

/** Sets the quota headers of every response, including refusals and 304. */
export const setRateHeaders: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  const counted = c.get('counted') ?? [];
  if (counted.length === 0) return;
  const { headers } = c.res;
  for (const [name, value] of Object.entries(rateHeaders(counted))) headers.set(name, value);
  const refused = counted.find(({ taken }) => !taken.isAllowed);
  if (refused !== undefined) headers.set('Retry-After', String(refused.taken.resetS));
};
