import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';

const figures = 'public, max-age=0, must-revalidate';
/** What many ask for at once a proxy may answer for a second; who sends a key is never answered so. */
const figuresOfMany = 'public, max-age=0, s-maxage=1, must-revalidate';

/**
 * How long an answer may be kept, by address; the first that fits counts. A route that knows better says so itself, as
 * artifacts do, whose bytes never change.
 */
const classes: [pattern: RegExp, policy: string][] = [
  // What is so now.
  [/^\/(?:healthz|readyz|metrics)$/, 'no-store'],
  // Of one account: for its own browser, which asks each time.
  [/^\/v1\/(?:(?:keys|endpoints|schedules|webhooks)(?:\/|$)|(?:runs|me)$)/, 'private, no-cache'],
  // Changes with a release. An hour more while a new one is fetched does no harm.
  [/^\/(?:openapi\.json|llms[\w-]*\.txt|docs(?:\/.*)?)$/, 'public, max-age=300, stale-while-revalidate=3600'],
  // Figures. Whoever submits looks at once, and a retraction leaves at once: kept, and asked about each time.
  [/^\//, figures],
];

/** Says of every answer how long it may be kept. Refusals and answers to changes never. */
export const tellCaching: MiddlewareHandler<AppContext> = async (c, next) => {
  await next();
  const { headers, status } = c.res;
  if (c.req.method === 'OPTIONS' || (headers.has('cache-control') && status < 400)) return;
  const isKept = c.req.method === 'GET' && status < 400;
  const policy = classes.find(([pattern]) => pattern.test(c.req.path))?.[1] ?? 'no-store';
  const isOfMany = isKept && policy === figures && c.get('answer') !== undefined;
  if (isOfMany) headers.append('Vary', 'Authorization');
  const isAnonymous = c.req.header('authorization') === undefined;
  headers.set('Cache-Control', isOfMany && isAnonymous ? figuresOfMany : isKept ? policy : 'no-store');
  if (policy.startsWith('private')) headers.append('Vary', 'Authorization');
};
