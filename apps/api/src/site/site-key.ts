import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { AppContext } from '../deps.ts';
import { internalEnvironment, internalRequestFor } from '../http/internal-requests.ts';
import type { SiteApi } from './site.ts';

/** The header with which a separate site authenticates itself. */
export const siteKeyHeader = 'Inferboard-Site-Key';
/** The visitor's address, accepted only with a valid site key. */
export const visitorHeader = 'Inferboard-Visitor';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/**
 * Treats requests of a separate site with the shared key as internal. They are not counted, because the site has counted the
 * page, and they may dry-run a visitor's text.
 */
export function admitSite<App extends Hono<AppContext>>(app: App, siteKey: string | undefined): App {
  if (siteKey === undefined) return app;
  const answer = app.fetch;
  const wanted = digestOf(siteKey);
  app.fetch = (request, env, ...rest) => {
    const given = request.headers.get(siteKeyHeader);
    const isSite = given !== null && timingSafeEqual(digestOf(given), wanted);
    if (!isSite) return answer(request, env, ...rest);
    const visitor = request.headers.get(visitorHeader);
    return answer(request, visitor === null ? internalEnvironment : internalRequestFor(visitor), ...rest);
  };
  return app;
}

/** The API for requests of one visitor. */
export const apiForVisitor = (visitor: string, api: SiteApi): SiteApi => ({
  ...api,
  fetch: (request) => {
    const asked = new Request(request);
    asked.headers.set(visitorHeader, visitor);
    return api.fetch(asked);
  },
});
