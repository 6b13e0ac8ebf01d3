import { DomainError } from '@inferboard/core/errors';
import { type Quota, takeOne } from '@inferboard/db/queries/rate-limit';
import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';

/** The node server's own request, where there is one: tests ask without a socket. */
interface Bindings {
  incoming?: { socket?: { remoteAddress?: string } };
}

/** Who asks, by address: of IPv6 the network, which is what one subscriber has. */
function addressOf(c: Context<AppContext>): string {
  const { incoming } = (c.env ?? {}) as Bindings;
  const address = (incoming?.socket?.remoteAddress ?? 'local').replace(/^::ffff:/, '');
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address;
}

/**
 * Takes one of a quota for the address that asks, and says in the headers what is left.
 *
 * @throws DomainError `rate_limited`
 */
export async function limitRate(deps: Deps, c: Context<AppContext>, quota: Quota): Promise<void> {
  const { isAllowed, remaining, resetS } = await takeOne(deps.database.db, addressOf(c), quota);
  c.header('RateLimit-Policy', `"${quota.name}";q=${quota.quota};w=${quota.windowS}`);
  c.header('RateLimit', `"${quota.name}";r=${remaining};t=${resetS}`);
  if (isAllowed) return;
  c.header('Retry-After', String(resetS));
  throw new DomainError('rate_limited', `Too many requests: ${quota.quota} are possible in ${quota.windowS} seconds.`);
}
