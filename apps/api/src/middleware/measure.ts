import type { Principal } from '@inferboard/db/queries/account';
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
export function idOf(c: Context): string | null {
  // What was refused early did not get as far as its route.
  c.req.routeIndex = matchedRoutes(c).length - 1;
  const id = c.req.param('id');
  return id !== undefined && /^[a-z]{2,3}_[0-9a-f]{24,32}$/.test(id) ? id : null;
}

/** What figures say of a request. */
interface Outcome {
  method: string;
  route: string;
  path: string;
  status: number;
}

/** What its line in the log says beside. */
interface Line {
  requestId: string;
  traceId: string;
  id: string | null;
  principal: Principal | null;
}

/** A request that is under way; one of the two is called once. */
interface Metered {
  /** Its answer is known: counts and times it, and writes its line where somebody reads it. */
  end(outcome: Outcome, line: () => Line): void;
  /** It is counted elsewhere. */
  drop(): void;
}

/** Counts, times and logs requests. Each is timed from this call on. */
export function createMeter({
  metrics,
  telemetry: { logRequest },
}: Pick<Deps, 'metrics' | 'telemetry'>): () => Metered {
  const { requests, durations, inFlight } = metrics;
  return () => {
    const start = performance.now();
    inFlight.inc();
    return {
      end: ({ method, route, path, status }, line) => {
        inFlight.dec();
        const duration_ms = performance.now() - start;
        requests.inc({ method, route, status: `${Math.floor(status / 100)}xx` });
        durations.observe({ method, route }, duration_ms / 1000);
        if (logRequest === null) return;
        const { requestId, traceId, id, principal } = line();
        logRequest(levelOf(path, status), {
          request_id: requestId,
          trace_id: traceId,
          ...{ method, route, status, duration_ms: Math.round(duration_ms * 100) / 100 },
          ...(id !== null && { id }),
          ...(principal !== null && { account: principal.accountId, key: principal.keyId }),
        });
      },
      drop: () => inFlight.dec(),
    };
  };
}

/** Counts, times and tells what comes from without. */
export function measure(deps: Pick<Deps, 'metrics' | 'telemetry'>): MiddlewareHandler<AppContext> {
  const begin = createMeter(deps);
  return async (c, next) => {
    if (isInside(c)) return next();
    const metered = begin();
    try {
      await next();
    } catch (error) {
      metered.drop();
      throw error;
    }
    metered.end({ method: methodOf(c), route: routeOf(c), path: c.req.path, status: c.res.status }, () => ({
      requestId: c.get('requestId'),
      traceId: c.get('traceId'),
      id: idOf(c),
      principal: c.get('principal') ?? null,
    }));
  };
}
