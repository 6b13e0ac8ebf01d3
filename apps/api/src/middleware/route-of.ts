import type { Context } from 'hono';
import { routePath } from 'hono/route';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method, of which there are few: anybody may send any word. */
export const methodOf = (c: Context): string => (methods.has(c.req.method) ? c.req.method : 'other');

/** The pattern of the address, as the OpenAPI document writes it; `site` is what the API has no route for. Known once the request was answered. */
export function routeOf(c: Context): string {
  const pattern = routePath(c, -1).replace(/:(\w+)(?:\{[^}]*\}+)?/g, '{$1}');
  if (!pattern.endsWith('*')) return pattern;
  return pattern.startsWith('/v1/') ? 'unknown' : 'site';
}
