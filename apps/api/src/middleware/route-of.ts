import type { Context } from 'hono';
import { routePath } from 'hono/route';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The method as a label with few values, because clients may send any text. */
export const methodOf = (c: Context): string => (methods.has(c.req.method) ? c.req.method : 'other');

/** True for the URLs of the API; the site has all others. */
export const isOfApi = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

/** Cached route labels, one per route. */
const labels = new Map<string, string>();

function toLabel(pattern: string): string {
  const plain = pattern.replace(/:(\w+)(?:\{[^}]*\}+)?/g, '{$1}');
  if (!plain.endsWith('*')) return plain;
  return plain.startsWith('/v1/') ? 'unknown' : 'site';
}

/**
 * The route pattern as written in the OpenAPI document; `site` for paths without an API route. Known after the request was
 * answered.
 */
export function routeOf(c: Context): string {
  const pattern = routePath(c, -1);
  const known = labels.get(pattern) ?? toLabel(pattern);
  labels.set(pattern, known);
  return known;
}
