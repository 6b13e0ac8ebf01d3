import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';
import { type ApiDocument, listOperations } from '../document/types.ts';
import { methodOf, routeOf } from '../middleware/route-of.ts';

const link = (url: string, relation: string) => `<${url}>; rel="${relation}"`;

/**
 * The `Link` header of a page of a list: the next page if it exists, and from later pages the first page. Empty for other
 * responses.
 */
export function pageLinks(c: Context, publicUrl: string, value: unknown): Record<string, string> {
  if (c.req.method !== 'GET' || value === null || typeof value !== 'object' || !('next_cursor' in value)) return {};
  const { pathname, searchParams } = new URL(c.req.url);
  const at = (cursor: string | null) => {
    const query = new URLSearchParams(searchParams);
    query.delete('cursor');
    if (cursor !== null) query.set('cursor', cursor);
    return `${publicUrl}${pathname}${query.size === 0 ? '' : `?${query}`}`;
  };
  const links = [
    ...(typeof value.next_cursor === 'string' ? [link(at(value.next_cursor), 'next')] : []),
    ...(searchParams.has('cursor') ? [link(at(null), 'first')] : []),
  ];
  return links.length === 0 ? {} : { Link: links.join(', ') };
}

/** Adds links to every API response: to the OpenAPI document, and to the operation's page in the reference. */
export function linkDocuments(document: () => ApiDocument, publicUrl: string): MiddlewareHandler<AppContext> {
  const service = link(`${publicUrl}/openapi.json`, 'service-desc');
  let links: Map<string, string> | null = null;
  return async (c, next) => {
    await next();
    links ??= new Map(
      listOperations(document()).map(({ method, path, operation }) => [
        `${method.toUpperCase()} ${path}`,
        `${service}, ${link(`${publicUrl}/docs/operations/${operation.operationId}`, 'describedby')}`,
      ]),
    );
    c.res.headers.append('Link', links.get(`${methodOf(c)} ${routeOf(c)}`) ?? service);
  };
}
