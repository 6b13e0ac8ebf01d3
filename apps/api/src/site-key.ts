import { createHash, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import type { AppContext } from './deps.ts';
import { inside } from './inside.ts';

/** With what a site that runs apart shows who it is. */
export const siteKeyHeader = 'Inferboard-Site-Key';

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
    return answer(request, isSite ? inside : env, ...rest);
  };
  return app;
}
