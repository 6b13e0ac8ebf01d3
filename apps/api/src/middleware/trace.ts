import { createTraceId, parseTraceParent } from '@inferboard/telemetry/trace-parent';
import type { Span } from '@inferboard/telemetry/tracing';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInside } from '../inside.ts';
import { methodOf, routeOf } from './route-of.ts';

/** Says in the span of a request what was asked and how it was answered. */
export function tellSpan(
  span: Span,
  { method, route, status }: { method: string; route: string; status: number },
): void {
  span.rename(`${method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': status });
  if (status >= 500) span.fail(`answered ${status}`);
}

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
      tellSpan(span, { method, route: routeOf(c), status: c.res.status });
    });
  };
}
