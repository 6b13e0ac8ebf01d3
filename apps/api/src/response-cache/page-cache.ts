import type { Context } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { internalRequestFor } from '../http/internal-requests.ts';
import type { SiteApi } from '../site/site.ts';
import { BufferedResponse } from './buffered-response.ts';
import { cacheKey } from './cache-key.ts';
import { bufferCacheable } from './cached.ts';

/** Number of API requests of a page, and how many of their responses are cached. */
interface ApiRequests {
  all: number;
  cached: number;
}

const requestsIn = new WeakMap<object, ApiRequests>();

/** Records that a cached response answered an API request of a page. */
export function countCachedResponse(c: Context): void {
  const requests = requestsIn.get(c.env ?? {});
  if (requests !== undefined) requests.cached += 1;
}

/**
 * The API for one page, and a cache entry for the page. A page is cached if all its API responses are, because it then depends on
 * the data alone.
 */
export function createPageApi(
  { responseCache }: Pick<Deps, 'responseCache'>,
  c: Context<AppContext>,
  visitor: string,
  ask: (request: Request, environment: object) => Response | Promise<Response>,
): SiteApi {
  const environment = internalRequestFor(visitor);
  const requests: ApiRequests = { all: 0, cached: 0 };
  requestsIn.set(environment, requests);
  return {
    fetch: (request) => {
      requests.all += 1;
      return ask(request, environment);
    },
    cachedPage: async (render) => {
      if (!responseCache || c.req.method !== 'GET') return render();
      let page: Response | null = null;
      const build = async (): Promise<BufferedResponse | null> => {
        page = await render();
        const response = await bufferCacheable(page);
        // Read the whole body: parts of a page request data while it streams.
        if (response !== null) page = response.toResponse();
        if (response === null || requests.cached !== requests.all) return null;
        // Drop the page's `no-cache`, so that the default cache policy applies to the cached page.
        const { 'cache-control': policy, ...headers } = response.headers;
        return policy === 'no-cache' ? new BufferedResponse(response.bytes, headers) : response;
      };
      const stamps = await responseCache.readStamps();
      const { response, isBuiltHere } = await responseCache.getOrBuild(cacheKey(c.req.url), stamps, build);
      if (response === null) return isBuiltHere && page !== null ? page : render();
      c.set('cacheableResponse', response);
      return response.toResponse();
    },
  };
}
