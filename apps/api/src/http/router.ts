import { OpenAPIHono } from '@hono/zod-openapi';
import type { AppContext } from '../deps.ts';

/** A group of routes. Every route passes `refuse(route)` as its hook, so that all errors have the same form. */
export function createRouter(): OpenAPIHono<AppContext> {
  return new OpenAPIHono<AppContext>();
}
