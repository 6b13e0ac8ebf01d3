import type { Context } from 'hono';
import { routePath } from 'hono/route';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method, of which there are few: anybody may send any word. */
export const methodOf = (c: Context): string => (methods.has(c.req.method) ? c.req.method : 'other');

/** Patterns as they are told; there are as many as routes. */
const told = new Map<string, string>();

function tell(pattern: string): string {
  const plain = pattern.replace(/:(\w+)(?:\{[^}]*\}+)?/g, '{$1}');
  if (!plain.endsWith('*')) return plain;
  return plain.startsWith('/v1/') ? 'unknown' : 'site';
}

/** The pattern of the address, as the OpenAPI document writes it; `site` is what the API has no route for. Known once the request was answered. */
export function routeOf(c: Context): string {
  const pattern = routePath(c, -1);
  const known = told.get(pattern) ?? tell(pattern);
  told.set(pattern, known);
  return known;
}
