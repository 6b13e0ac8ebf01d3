import type { DataScope } from '@inferboard/db/schema/data-versions';
import type { Context, MiddlewareHandler, Next } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isBufferable } from '../middleware/represent.ts';
import { BufferedResponse } from './buffered-response.ts';
import { cacheKey } from './cache-key.ts';
import type { ResponseCache } from './response-cache.ts';

/** The cacheable form of a response; null if it is an error, a stream, or marked as not cacheable. */
export async function bufferCacheable(response: Response): Promise<BufferedResponse | null> {
  const isNoStore = response.headers.get('cache-control')?.includes('no-store') === true;
  if (response.status !== 200 || isNoStore || !isBufferable(response)) return null;
  const headers = Object.fromEntries(response.headers);
  return new BufferedResponse(new Uint8Array(await response.arrayBuffer()), headers);
}

/**
 * Caches the responses of a route that depend only on the URL and the data, not on the time, the client or its key. Each response
 * is built once for each version of the data. The cache look-up comes before the validation of the query.
 *
 * @param scopes the data that the response depends on; empty: it changes only with a release
 * @param options.isAnonymousOnly clients with a key may get a different response, which is not cached
 */
export function cacheResponses(
  { responseCache, database }: Pick<Deps, 'responseCache' | 'database'>,
  scopes: readonly DataScope[],
  { isAnonymousOnly = false } = {},
): MiddlewareHandler<AppContext> {
  /** Null if the response of `next` is not cacheable. */
  const getOrBuild = async (
    cache: ResponseCache,
    c: Context<AppContext>,
    next: Next,
  ): Promise<BufferedResponse | null> => {
    const stamp = await cache.readStamp(database, scopes);
    const key = cache.keyFor(database, cacheKey(c.req.url));
    const { response, isBuiltHere } = await cache.getOrBuild(key, [stamp], async () => {
      await next();
      return c.get('isOfToday') ? null : bufferCacheable(c.res);
    });
    if (response === null && !isBuiltHere) await next();
    return response;
  };
  return async function cacheResponse(c, next) {
    if (!responseCache || c.req.method !== 'GET' || (isAnonymousOnly && c.get('principal'))) return next();
    const response = await getOrBuild(responseCache, c, next);
    if (response === null) return;
    c.set('cacheableResponse', response);
    // Hono would merge the existing response into the new one.
    c.res = undefined;
    c.res = response.toResponse();
  };
}

/** A route whose responses are cached, see `cacheResponses`. */
export const cached = <Route extends object>(
  deps: Pick<Deps, 'responseCache' | 'database'>,
  route: Route,
  scopes: readonly DataScope[],
  options: { isAnonymousOnly?: boolean } = {},
) => ({ ...route, middleware: cacheResponses(deps, scopes, options) });
