import { createTraceId, parseTraceParent } from '@inferboard/telemetry/trace-parent';
import type { Span } from '@inferboard/telemetry/tracing';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { isInternal } from '../http/internal-requests.ts';
import { methodOf, routeOf } from './route-of.ts';

/** Records the request and its outcome in its span. */
export function recordSpan(
  span: Span,
  { method, route, status }: { method: string; route: string; status: number },
): void {
  span.rename(`${method} ${route}`);
  span.set({ 'http.route': route, 'http.response.status_code': status });
  if (status >= 500) span.fail(`answered ${status}`);
}

/**
 * Determines the trace of the request: the caller's, from `traceparent`, or a new one. If traces are collected, the request is a
 * span, and internal requests of pages and tools are child spans.
 */
export function trace({ telemetry: { tracing } }: Pick<Deps, 'telemetry'>): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    const parent = isInternal(c) ? undefined : parseTraceParent(c.req.header('traceparent'));
    if (!tracing.isOn) {
      c.set('traceId', parent?.traceId ?? createTraceId());
      return next();
    }
    const method = methodOf(c);
    const kind = isInternal(c) ? 'internal' : 'server';
    const attributes = { 'http.request.method': method, 'inferboard.request.id': c.get('requestId') };
    await tracing.span(method, { kind, attributes, ...(parent !== undefined && { parent }) }, async (span) => {
      c.set('traceId', span.parent?.traceId ?? createTraceId());
      await next();
      recordSpan(span, { method, route: routeOf(c), status: c.res.status });
    });
  };
}
