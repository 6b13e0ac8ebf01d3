import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';
import { jsonLine } from '../json-line.ts';

/** Ends the JSON that `c.json` writes with a newline. */
export const endLines: MiddlewareHandler<AppContext> = (c, next) => {
  const body = c.body as (data: string, init?: number | ResponseInit, headers?: Record<string, string>) => Response;
  const json = (value: unknown, init?: number | ResponseInit, headers: Record<string, string> = {}) =>
    body(jsonLine(value), init, { 'Content-Type': 'application/json', ...headers });
  c.json = json as Context['json'];
  return next();
};
