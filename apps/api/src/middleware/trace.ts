import { createTraceId, parseTraceParent } from '@inferboard/telemetry/trace-parent';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { methodOf, routeOf } from './route-of.ts';

/**
 * Finds out which trace the request is part of: its caller's by `traceparent`, else one that begins here. Where traces are
 * collected the request is a span of it, and what pages and tools ask in this process is one within.
 */
export function trace({ telemetry: { tracing } }: Pick<Deps, 'telemetry'>): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const parent = isInside(c) ? undefined : parseTraceParent(c.req.header('traceparent'));
    if (!tracing.isOn) {
      c.set('traceId', parent?.traceId ?? createTraceId());
      return next();
    }
    const method = methodOf(c);
    const kind = isInside(c) ? 'internal' : 'server';
    const attributes = { 'http.request.method': method, 'inferboard.request.id': c.get('requestId') };
    await tracing.span(method, { kind, attributes, ...(parent !== undefined && { parent }) }, async (span) => {
      c.set('traceId', span.parent?.traceId ?? createTraceId());
      await next();
      const route = routeOf(c);
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': c.res.status });
      if (c.res.status >= 500) span.fail(`answered ${c.res.status}`);
    });
  };
}
