import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTraceId, parseTraceParent } from '@inferboard/telemetry/trace-parent';
import type { Deps } from '../deps.ts';
import type { Origin } from '../middleware/client-address.ts';
import { type Counted, rateHeaders } from '../middleware/limit-rate.ts';
import { createMeter } from '../middleware/measure.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { strictTransport } from '../middleware/secure.ts';
import { recordSpan } from '../middleware/trace.ts';
import { siteKeyHeader } from '../site/site-key.ts';
import { type BufferedResponse, type RequestInfo, type Variant, variantKey } from './buffered-response.ts';
import { cacheKeyOfTarget } from './cache-key.ts';
import type { ResponseCache } from './response-cache.ts';

export type ServeCachedDeps = Pick<Deps, 'responseCache' | 'rateLimits' | 'isEncrypted' | 'metrics' | 'telemetry'>;

/** Answers a request before any other handler runs, or calls `next`. */
export type NodeMiddleware = (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;

type Found = NonNullable<ReturnType<ResponseCache['find']>>;

/** Request targets that the adapter uses unchanged. It normalises or rejects other targets and hosts. */
const plainTarget = /^\/[\w!$&'()*+,\-./:;=@~]*(?:\?[\w!$&'()*+,\-./:;=@~?%[\]]*)?$/;
const dotSegment = /\/\.\.?(?:[/?]|$)/;
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Requests with one of these headers may get a different response, or have a body that must be read. */
const special = ['authorization', siteKeyHeader.toLowerCase(), 'content-length', 'transfer-encoding'];

/** The cache key of the public response to a read; null for other requests. */
function cacheKeyOfRead({ method, url = '', headers }: IncomingMessage): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (!plainTarget.test(url) || dotSegment.test(url) || !plainHost.test(headers.host ?? '')) return null;
  return special.some((name) => headers[name] !== undefined) ? null : cacheKeyOfTarget(url);
}

/** The raw value of a header. Node makes a list of several headers with one name. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const originOf = (incoming: IncomingMessage): Origin => ({
  remoteAddress: incoming.socket.remoteAddress,
  header: (name) => headerOf(incoming, name),
});

/** Counts a read against the quota of the client's address; null if the quota is used up. */
function countRead(
  { rateLimits: { reads, addressOf } }: ServeCachedDeps,
  origin: Origin,
  { cost }: RequestInfo,
): Counted[] | null {
  if (reads === null || cost === null) return [];
  const { quota } = reads;
  const taken = reads.take(`address ${addressOf(origin)}`, cost);
  return taken.isAllowed ? [{ quota, taken }] : null;
}

/** The variant of the response that this request needs, if it was sent before. */
function findVariant(
  incoming: IncomingMessage,
  response: BufferedResponse,
): { info: RequestInfo; variant: Variant } | null {
  const key = variantKey(response, headerOf(incoming, 'accept-encoding'), headerOf(incoming, 'if-none-match'));
  const variant = response.variants.get(key);
  return variant === undefined || response.requestInfo === null ? null : { info: response.requestInfo, variant };
}

/**
 * Answers reads without a key from the cache if no data that the response depends on has changed. It runs before the framework
 * creates its request. The headers from the middlewares are stored with the response. The parts specific to one request are made
 * here, with the same functions: its id, quota, metrics, log line and span.
 */
export function serveCached(deps: ServeCachedDeps): NodeMiddleware {
  const { responseCache, isEncrypted } = deps;
  const { logRequest, tracing } = deps.telemetry;
  const begin = createMeter(deps);
  if (responseCache === null) return (_incoming, _outgoing, next) => next();

  const attempt = async (incoming: IncomingMessage, outgoing: ServerResponse, { response, isCurrent }: Found) => {
    const found = findVariant(incoming, response);
    if (found === null) return false;
    const { info, variant } = found;
    const requestId = requestIdOf(headerOf(incoming, 'x-request-id'));
    const parent = tracing.isOn || logRequest !== null ? parseTraceParent(headerOf(incoming, 'traceparent')) : null;
    const attributes = { 'http.request.method': 'GET', 'inferboard.request.id': requestId };
    const span = tracing.begin('GET', { kind: 'server', attributes, parent });
    const metered = begin();
    const origin = originOf(incoming);
    const counted = (await isCurrent()) ? countRead(deps, origin, info) : null;
    // A request without quota left is refused by the usual middleware; nothing was counted here.
    if (counted === null) {
      metered.drop();
      return false;
    }
    const headers = [...variant.headers, 'x-request-id', requestId];
    if (counted.length > 0) headers.push(...Object.entries(rateHeaders(counted)).flat());
    if (isEncrypted(origin)) headers.push('strict-transport-security', strictTransport);
    outgoing.writeHead(variant.status, headers);
    if (variant.body === null || incoming.method === 'HEAD') outgoing.end();
    else outgoing.end(variant.body);
    const { route, id, path } = info;
    metered.end({ method: 'GET', route, path, status: variant.status }, () => ({
      ...{ requestId, traceId: span.parent?.traceId ?? parent?.traceId ?? createTraceId(), id, principal: null },
    }));
    recordSpan(span, { method: 'GET', route, status: variant.status });
    span.end();
    return true;
  };
  return (incoming, outgoing, next) => {
    const key = cacheKeyOfRead(incoming);
    const found = key === null ? null : responseCache.find(key);
    if (found === null) return next();
    void attempt(incoming, outgoing, found).then((isServed) => {
      if (!isServed) next();
    });
  };
}
