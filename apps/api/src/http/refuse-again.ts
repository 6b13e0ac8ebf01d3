import type { Principal } from '@inferboard/db/accounts/account';
import type { Context, MiddlewareHandler } from 'hono';
import { sentKeyHash } from '../accounts/keys.ts';
import type { AppContext, Deps } from '../deps.ts';
import { type Counted, callerByKey, enforceQuota, isRead } from '../middleware/limit-rate.ts';
import { isInternal } from './internal-requests.ts';
import { costOf } from './rate-limits.ts';

/** The quota that refuses this request of a key, as far as this process knows; null if the quota must be checked. */
function findRefusal({ rateLimits }: Deps, c: Context<AppContext>, principal: Principal): Counted | null {
  const { reads, writes, refusals } = rateLimits;
  const [cost, caller] = [costOf(c.req.path), callerByKey(principal)];
  if (cost === null) return null;
  const quota = isRead(c) ? reads?.quota : writes;
  const taken = isRead(c) ? reads?.refusal(caller, cost) : refusals.recall(caller);
  return quota && taken ? { quota, taken } : null;
}

/**
 * Refuses a key that was recently refused and has no quota yet, before the key look-up in the database. A runaway loop then costs
 * other clients almost nothing. Other requests are counted by `limitRates` after the key look-up.
 *
 * @throws DomainError `rate_limited`
 */
export function refuseAgain(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const { refusedKeys } = deps.rateLimits;
    const hash = isInternal(c) ? null : sentKeyHash(c.req.header('authorization'));
    if (hash === null) return next();
    const known = refusedKeys.get(hash);
    const refusal = known && findRefusal(deps, c, known);
    if (refusal) {
      c.set('principal', known);
      enforceQuota(deps, c, refusal.quota, refusal.taken);
    }
    await next();
    const principal = c.get('principal');
    if (principal && c.get('counted')?.some(({ taken }) => !taken.isAllowed)) refusedKeys.set(hash, principal);
  };
}
