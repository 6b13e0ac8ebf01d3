import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';

const figures = 'public, max-age=0, must-revalidate';
/** A proxy may serve popular data for one second. This never applies to requests with a key. */
const sharedFigures = 'public, max-age=0, s-maxage=1, must-revalidate';

/** Cache policy by path; the first match counts. A route may set its own policy, such as artifacts, whose bytes never change. */
const classes: [pattern: RegExp, policy: string][] = [
  // The current state.
  [/^\/(?:healthz|readyz|metrics)$/, 'no-store'],
  // Private data of one account: only its own browser caches it, and revalidates each time.
  [/^\/v1\/(?:(?:keys|endpoints|schedules|webhooks|admin|sessions)(?:\/|$)|(?:runs|me)$)/, 'private, no-cache'],
  // Changes with a release. Serving it for another hour during revalidation does no harm.
  [/^\/(?:openapi\.json|llms[\w-]*\.txt|docs(?:\/.*)?)$/, 'public, max-age=300, stale-while-revalidate=3600'],
  // Results. Submitters look at once, and retractions must be visible at once: cached, but revalidated each time.
  [/^\//, figures],
];

/** Sets the cache policy of every response. Refusals and responses to writes are never cached. */
export const setCacheHeaders: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  const { headers, status } = c.res;
  if (c.req.method === 'OPTIONS' || (headers.has('cache-control') && status < 400)) return;
  const isCacheable = c.req.method === 'GET' && status < 400;
  const policy = classes.find(([pattern]) => pattern.test(c.req.path))?.[1] ?? 'no-store';
  const isShared = isCacheable && policy === figures && c.get('cacheableResponse') !== undefined;
  if (isShared) headers.append('Vary', 'Authorization');
  const isAnonymous = c.req.header('authorization') === undefined;
  headers.set('Cache-Control', isShared && isAnonymous ? sharedFigures : isCacheable ? policy : 'no-store');
  if (policy.startsWith('private')) headers.append('Vary', 'Authorization');
};
