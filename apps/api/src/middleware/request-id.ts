import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';

/** Valid request ids from clients. */
const own = /^[\w\-=]{1,100}$/;

/** The id of a request: the client's, or a new one. */
export const requestIdOf = (given: string | undefined): string =>
  given !== undefined && own.test(given) ? given : randomUUID();

/** Sets the request id. */
export const nameRequest: MiddlewareHandler<AppContext> = (c, next) => {
  c.set('requestId', requestIdOf(c.req.header('x-request-id')));
  return next();
};

/** Sends the request id in the response. */
export const setRequestId: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  c.res.headers.set('X-Request-Id', c.get('requestId'));
};
