import type { Context, MiddlewareHandler } from 'hono';
import { withFields } from '../conventions/fields.ts';
import { pageLinks } from '../conventions/links.ts';
import type { AppContext } from '../deps.ts';
import { jsonLine } from '../submissions/json-line.ts';

/**
 * The implementation of `c.json`: JSON that ends with a newline. Lists have only the requested fields, and pages get links to
 * other pages.
 */
export const writeJson =
  (publicUrl: string): MiddlewareHandler<AppContext> =>
  (c, next) => {
    const body = c.body as (data: string, init?: number | ResponseInit, headers?: Record<string, string>) => Response;
    const json = (value: unknown, init?: number | ResponseInit, headers: Record<string, string> = {}) =>
      body(jsonLine(withFields(value, c.req.query('fields'))), init, {
        'Content-Type': 'application/json',
        ...pageLinks(c, publicUrl, value),
        ...headers,
      });
    c.json = json as Context['json'];
    return next();
  };
