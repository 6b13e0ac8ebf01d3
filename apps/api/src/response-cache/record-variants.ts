import type { Context, MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { costOf } from '../http/rate-limits.ts';
import { idOf } from '../middleware/measure.ts';
import { routeOf } from '../middleware/route-of.ts';
import { type BufferedResponse, variantKey } from './buffered-response.ts';
import { cacheKey } from './cache-key.ts';
import { countCachedResponse } from './page-cache.ts';

/** Headers specific to one request. */
const perRequest = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after', 'strict-transport-security'];

async function recordVariant(c: Context<AppContext>, response: BufferedResponse): Promise<void> {
  const key = variantKey(response, c.req.header('accept-encoding'), c.req.header('if-none-match'));
  const { status } = c.res;
  if (response.variants.has(key) || !key.startsWith(String(status)) || (status !== 200 && status !== 304)) return;
  const headers = [...c.res.headers].filter(([name]) => !perRequest.includes(name)).flat();
  const coding = c.res.headers.get('content-encoding');
  const body = status === 304 ? null : await response.encoded(coding === 'br' || coding === 'gzip' ? coding : null);
  const { path } = c.req;
  response.requestInfo ??= { route: routeOf(c), path, id: idOf(c), cost: costOf(path) };
  response.variants.set(key, { status, headers, body });
}

/** Records how a cached response was sent, so that `serveCached` can send it again. */
export function recordVariants({
  responseCache = null,
}: Partial<Pick<Deps, 'responseCache'>>): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const response = c.get('cacheableResponse');
    if (responseCache === null || response === undefined) return;
    countCachedResponse(c);
    if (c.req.header('authorization') === undefined) await recordVariant(c, response);
    responseCache.updateSize(cacheKey(c.req.url), response);
  };
}
