import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';

/** What a client may call its request. */
const own = /^[\w\-=]{1,100}$/;

/** Names the request: as its client does, or anew. */
export const nameRequest: MiddlewareHandler<AppContext> = (c, next) => {
  const given = c.req.header('x-request-id');
  c.set('requestId', given !== undefined && own.test(given) ? given : randomUUID());
  return next();
};

/** Tells the name in the answer. */
export const tellRequestId: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  c.res.headers.set('X-Request-Id', c.get('requestId'));
};
