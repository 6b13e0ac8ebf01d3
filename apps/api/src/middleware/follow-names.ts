import type { MiddlewareHandler } from 'hono';
import { shareRead } from '../answer-cache/shared-read.ts';
import type { AppContext, Deps } from '../deps.ts';

/** Uncached reads whose responses name catalogue entries: files and admin reads. */
const unkept = /^\/v1\/(?:admin\/|[\w-]+\.\w+$)/;

/**
 * Loads catalogue entries that admins added in any process before a request is handled. Cached reads check the catalogue version
 * together with that of the data: see `createAnswerCache`.
 */
export function followNames({ catalogue, answers }: Deps): MiddlewareHandler<AppContext> {
  const follow = shareRead(() => catalogue.follow());
  return async (c, next) => {
    const isKept = c.req.method === 'GET' && answers && !unkept.test(c.req.path);
    if (!isKept) await follow();
    return next();
  };
}
