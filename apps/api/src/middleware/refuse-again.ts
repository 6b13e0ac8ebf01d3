import type { Principal } from '@inferboard/db/queries/account';
import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { sentKeyHash } from '../keys.ts';
import { costOf } from '../rate-limits.ts';
import { type Counted, callerByKey, isRead, settle } from './limit-rate.ts';

/** The quota that refuses this request of a key, as far as this process knows; null where it has to be taken from. */
function findRefusal({ rateLimits }: Deps, c: Context<AppContext>, principal: Principal): Counted | null {
  const { reads, writes, refusals } = rateLimits;
  const [cost, caller] = [costOf(c.req.path), callerByKey(principal)];
  if (cost === null) return null;
  const quota = isRead(c) ? reads?.quota : writes;
  const taken = isRead(c) ? reads?.refusal(caller, cost) : refusals.recall(caller);
  return quota && taken ? { quota, taken } : null;
}

/**
 * Refuses a key that was refused lately and has nothing yet, before the database is asked whose it is: a loop that ran wild
 * costs others next to nothing. What goes on is counted by `limitRates`, once the key was found.
 *
 * @throws DomainError `rate_limited`
 */
export function refuseAgain(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const { refusedKeys } = deps.rateLimits;
    const hash = isInside(c) ? null : sentKeyHash(c.req.header('authorization'));
    if (hash === null) return next();
    const known = refusedKeys.get(hash);
    const refusal = known && findRefusal(deps, c, known);
    if (refusal) {
      c.set('principal', known);
      settle(deps, c, refusal.quota, refusal.taken);
    }
    await next();
    const principal = c.get('principal');
    if (principal && c.get('counted')?.some(({ taken }) => !taken.isAllowed)) refusedKeys.set(hash, principal);
  };
}
