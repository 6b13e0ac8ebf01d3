import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { shareRead } from '../response-cache/shared-read.ts';

/** Uncached reads whose responses name catalogue entries: files and admin reads. */
const uncached = /^\/v1\/(?:admin\/|[\w-]+\.\w+$)/;

/**
 * Loads catalogue entries that admins added in any process before a request is handled. Cached reads check the catalogue version
 * together with that of the data: see `createResponseCache`.
 */
export function followNames({ catalogue, responseCache }: Deps): MiddlewareHandler<AppContext> {
  const follow = shareRead(() => catalogue.follow());
  return async (c, next) => {
    const isCached = c.req.method === 'GET' && responseCache && !uncached.test(c.req.path);
    if (!isCached) await follow();
    return next();
  };
}
