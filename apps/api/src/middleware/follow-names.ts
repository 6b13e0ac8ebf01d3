import type { MiddlewareHandler } from 'hono';
import { shareRead } from '../answer-cache/shared-read.ts';
import type { AppContext, Deps } from '../deps.ts';

/** Reads whose answers are not kept, and which name entries of the catalogue: files and what admins read. */
const unkept = /^\/v1\/(?:admin\/|[\w-]+\.\w+$)/;

/**
 * Loads catalogue entries that admins added, through any process, before a request is handled. Reads whose
 * answers are kept ask for the version of the catalogue with that of the data: see `createAnswerCache`.
 */
export function followNames({ catalogue, answers }: Deps): MiddlewareHandler<AppContext> {
  const follow = shareRead(() => catalogue.follow());
  return async (c, next) => {
    const isKept = c.req.method === 'GET' && answers && !unkept.test(c.req.path);
    if (!isKept) await follow();
    return next();
  };
}
