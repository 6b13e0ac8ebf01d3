import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { AppContext } from './deps.ts';
import { inside, insideFor } from './inside.ts';
import type { SiteApi } from './site.ts';

/** With what a site that runs apart shows who it is. */
export const siteKeyHeader = 'Inferboard-Site-Key';
/** For whom it asks, by address; believed of whoever shows the key alone. */
export const visitorHeader = 'Inferboard-Visitor';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

/**
 * What a site apart asks with the key that both know, is as if it asked here: not counted, for its own door has counted
 * the page, and free to try for a visitor what is pasted there.
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
    return answer(request, visitor === null ? inside : insideFor(visitor), ...rest);
  };
  return app;
}

/** The API as it is asked for one visitor. */
export const askedFor = (visitor: string, api: SiteApi): SiteApi => ({
  ...api,
  fetch: (request) => {
    const asked = new Request(request);
    asked.headers.set(visitorHeader, visitor);
    return api.fetch(asked);
  },
});
