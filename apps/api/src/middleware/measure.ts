import type { LogLevel } from '@inferboard/telemetry/log';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { costOf } from '../rate-limits.ts';
import { methodOf, routeOf } from './route-of.ts';

/** What is asked again and again, by probes and browsers, is worth a line only to whoever looks for it. */
function levelOf(path: string, status: number): LogLevel {
  if (status >= 500) return 'error';
  if (status === 401 || status === 403 || status === 429) return 'warn';
  return costOf(path) === null ? 'debug' : 'info';
}

/** The id of the thing that was asked for, if it is one of ours: people paste keys into the strangest places. */
function idOf(c: Context): string | null {
  // What was answered as before did not get as far as its route.
  c.req.routeIndex = matchedRoutes(c).length - 1;
  const id = c.req.param('id');
  return id !== undefined && /^[a-z]{2,3}_[0-9a-f]{24,32}$/.test(id) ? id : null;
}

/** Counts, times and, where somebody reads it, tells what comes from without. */
export function measure({
  metrics,
  telemetry: { logRequest },
}: Pick<Deps, 'metrics' | 'telemetry'>): MiddlewareHandler<AppContext> {
  const { requests, durations, inFlight } = metrics;
  return async (c, next) => {
    if (isInside(c)) return next();
    const start = performance.now();
    inFlight.inc();
    try {
      await next();
    } finally {
      inFlight.dec();
    }
    const { status } = c.res;
    const [method, route] = [methodOf(c), routeOf(c)];
    const duration_ms = performance.now() - start;
    requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
    durations.observe({ method, route }, duration_ms / 1000);
    if (logRequest === null) return;
    const [id, principal] = [idOf(c), c.get('principal') ?? null];
    logRequest(levelOf(c.req.path, status), {
      request_id: c.get('requestId'),
      trace_id: c.get('traceId'),
      ...{ method, route, status, duration_ms: Math.round(duration_ms * 100) / 100 },
      ...(id !== null && { id }),
      ...(principal !== null && { account: principal.accountId, key: principal.keyId }),
    });
  };
}
