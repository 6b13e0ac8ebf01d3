import { OpenAPIHono } from '@hono/zod-openapi';
import type { AppContext } from './deps.ts';

/** A group of routes. Every route passes `refuse(route)` as its hook, so that all faults are told alike. */
export function createRouter(): OpenAPIHono<AppContext> {
  return new OpenAPIHono<AppContext>();
}
