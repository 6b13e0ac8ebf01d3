import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';

/** What a client may call its request. */
const own = /^[\w\-=]{1,100}$/;

/** The name of a request: its client's, or a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && own.test(given) ? given : randomUUID();

/** Names the request. */
export const nameRequest: MiddlewareHandler<AppContext> = (c, next) => {
  c.set('requestId', requestIdOf(c.req.header('x-request-id')));
  return next();
};

/** Tells the name in the answer. */
export const tellRequestId: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  c.res.headers.set('X-Request-Id', c.get('requestId'));
};
