import type { Context, MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The pattern of the address, as the OpenAPI document writes it; `site` is what the API has no route for. */
function routeOf(c: Context): string {
  const pattern = routePath(c, -1).replace(/:(\w+)(?:\{[^}]*\}+)?/g, '{$1}');
  if (!pattern.endsWith('*')) return pattern;
  return pattern.startsWith('/v1/') ? 'unknown' : 'site';
}

/** Counts and times what comes from without. */
export function measure(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    if (isInside(c)) return next();
    const { requests, durations, inFlight } = deps.metrics;
    const start = performance.now();
    inFlight.inc();
    try {
      await next();
    } finally {
      inFlight.dec();
    }
    const labels = { method: methods.has(c.req.method) ? c.req.method : 'other', route: routeOf(c) };
    requests.inc({ ...labels, status: `${Math.floor(c.res.status / 100)}xx` });
    durations.observe(labels, (performance.now() - start) / 1000);
  };
}
