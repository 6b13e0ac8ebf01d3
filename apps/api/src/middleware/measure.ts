import type { Principal } from '@inferboard/db/accounts/account';
import type { LogLevel } from '@inferboard/telemetry/log';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppContext, Deps } from '../deps.ts';
import { isInternal } from '../http/internal-requests.ts';
import { costOf } from '../http/rate-limits.ts';
import { methodOf, routeOf } from './route-of.ts';

/** Frequent requests of probes and browsers are logged only at a low level. */
function levelOf(path: string, status: number): LogLevel {
  if (status >= 500) return 'error';
  if (status === 401 || status === 403 || status === 429) return 'warn';
  return costOf(path) === null ? 'debug' : 'info';
}

/** The id of the requested object, if it has the form of one of our ids. Other text may be a key pasted by mistake. */
export function idOf(c: Context): string | null {
  // A request that was refused early did not reach its route.
  c.req.routeIndex = matchedRoutes(c).length - 1;
  const id = c.req.param('id');
  return id !== undefined && /^[a-z]{2,3}_[0-9a-f]{24,32}$/.test(id) ? id : null;
}

/** The labels of a request in the metrics. */
interface Outcome {
  method: string;
  route: string;
  path: string;
  status: number;
}

/** Additional fields of its log line. */
interface Line {
  requestId: string;
  traceId: string;
  id: string | null;
  principal: Principal | null;
}

/** A request in progress; call exactly one of the two methods. */
interface Metered {
  /** Call this when the response is known. Counts and times the request, and logs it if the level is enabled. */
  end(outcome: Outcome, line: () => Line): void;
  /** The request is counted elsewhere. */
  drop(): void;
}

/** Counts, times and logs requests. The timer starts with this call. */
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

/** Counts, times and logs external requests. */
export function measure(deps: Pick<Deps, 'metrics' | 'telemetry'>): MiddlewareHandler<AppContext> {
  const begin = createMeter(deps);
  return async (c, next) => {
    if (isInternal(c)) return next();
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
