import type { RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';

/** How an operation is deprecated. Dates are days, as YYYY-MM-DD. */
export interface Ending {
  /** The day from which new programs should not use it. */
  since: string;
  /** The day from which it may return 410; at least six months after `since`. */
  sunset: string;
  /** The replacement, as a path or URL. */
  successor?: string;
}

/** The page that describes the policy. */
export const policyPath = '/docs/versions';

const startOf = (day: string) => new Date(`${day}T00:00:00Z`);

/** Headers of RFC 9745 and RFC 8594, with links to the policy and the replacement. */
export function endingHeaders(
  { since, sunset, successor }: Ending,
  publicUrl: string,
): [name: string, value: string][] {
  return [
    ['Deprecation', `@${startOf(since).getTime() / 1000}`],
    ['Sunset', startOf(sunset).toUTCString()],
    ['Link', `<${publicUrl}${policyPath}>; rel="deprecation"`],
    ...(successor === undefined
      ? []
      : [['Link', `<${new URL(successor, publicUrl).href}>; rel="successor-version"`] satisfies [string, string]]),
  ];
}

const inWords = ({ since, sunset, successor }: Ending) =>
  `Deprecated since ${since}; may be removed after ${sunset}.${successor === undefined ? '' : ` Use \`${successor}\`.`}`;

/**
 * A deprecated route: the document and every response state it.
 *
 * @internal No route is deprecated now.
 */
export function deprecated<Route extends RouteConfig>(route: Route, ending: Ending, publicUrl: string): Route {
  const headers = endingHeaders(ending, publicUrl);
  const addHeaders: MiddlewareHandler = async (c, next) => {
    await next();
    for (const [name, value] of headers) c.res.headers.append(name, value);
  };
  return {
    ...route,
    deprecated: true,
    'x-sunset': ending.sunset,
    description: [inWords(ending), route.description].filter(Boolean).join(' '),
    middleware: [addHeaders, ...[route.middleware ?? []].flat()],
  };
}
