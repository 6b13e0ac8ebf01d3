import type { IncomingMessage, ServerResponse } from 'node:http';
import { createTraceId, parseTraceParent } from '@inferboard/telemetry/trace-parent';
import type { Deps } from '../deps.ts';
import type { Origin } from '../middleware/client-address.ts';
import { type Counted, rateHeaders } from '../middleware/limit-rate.ts';
import { createMeter } from '../middleware/measure.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { strictTransport } from '../middleware/secure.ts';
import { tellSpan } from '../middleware/trace.ts';
import { siteKeyHeader } from '../site-key.ts';
import { type Answer, formOf, type Place, type Sent } from './answer.ts';
import type { AnswerCache } from './answer-cache.ts';
import { keyOfTarget } from './key-of.ts';

export type EarlyDeps = Pick<Deps, 'answers' | 'rateLimits' | 'isEncrypted' | 'metrics' | 'telemetry'>;

/** Answers a request before anything else looks at it, or calls `next`. */
export type Early = (incoming: IncomingMessage, outgoing: ServerResponse, next: () => void) => void;

type Found = NonNullable<ReturnType<AnswerCache['find']>>;

/** What the adapter takes as it is written. It normalises other addresses and hosts, or refuses them. */
const plainTarget = /^\/[\w!$&'()*+,\-./:;=@~]*(?:\?[\w!$&'()*+,\-./:;=@~?%[\]]*)?$/;
const dotSegment = /\/\.\.?(?:[/?]|$)/;
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/** Requests with one of these may get another answer, or carry a body that has to be read. */
const special = ['authorization', siteKeyHeader.toLowerCase(), 'content-length', 'transfer-encoding'];

/** By what the answer is known that everybody gets; null for a request of another kind. */
function keyOfRead({ method, url = '', headers }: IncomingMessage): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (!plainTarget.test(url) || dotSegment.test(url) || !plainHost.test(headers.host ?? '')) return null;
  return special.some((name) => headers[name] !== undefined) ? null : keyOfTarget(url);
}

/** The value of a header as it came; of several with one name Node makes a list. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const originOf = (incoming: IncomingMessage): Origin => ({
  remoteAddress: incoming.socket.remoteAddress,
  header: (name) => headerOf(incoming, name),
});

/** Takes a read of the address that asks; null where there is none left. */
function take({ rateLimits: { reads, addressOf } }: EarlyDeps, origin: Origin, { cost }: Place): Counted[] | null {
  if (reads === null || cost === null) return [];
  const { quota } = reads;
  const taken = reads.take(`address ${addressOf(origin)}`, cost);
  return taken.isAllowed ? [{ quota, taken }] : null;
}

/** What an answer left as, if it has left in the form that this request asks for. */
function findSent(incoming: IncomingMessage, answer: Answer): { place: Place; sent: Sent } | null {
  const form = formOf(answer, headerOf(incoming, 'accept-encoding'), headerOf(incoming, 'if-none-match'));
  const sent = answer.sent.get(form);
  return sent === undefined || answer.place === null ? null : { place: answer.place, sent };
}

/**
 * Answers reads without a key as they were answered before, where nothing that the answer depends on has changed: before
 * there is a request of the framework. What all middlewares would say was noted with the answer; what belongs to the single
 * request is made here, by the functions that they use: its id, its quota, its figures, its line and its span.
 */
export function answerEarly(deps: EarlyDeps): Early {
  const { answers, isEncrypted } = deps;
  const { logRequest, tracing } = deps.telemetry;
  const begin = createMeter(deps);
  if (answers === null) return (_incoming, _outgoing, next) => next();

  const attempt = async (incoming: IncomingMessage, outgoing: ServerResponse, { answer, isCurrent }: Found) => {
    const found = findSent(incoming, answer);
    if (found === null) return false;
    const { place, sent } = found;
    const requestId = requestIdOf(headerOf(incoming, 'x-request-id'));
    const parent = tracing.isOn || logRequest !== null ? parseTraceParent(headerOf(incoming, 'traceparent')) : null;
    const attributes = { 'http.request.method': 'GET', 'inferboard.request.id': requestId };
    const span = tracing.begin('GET', { kind: 'server', attributes, parent });
    const metered = begin();
    const origin = originOf(incoming);
    const counted = (await isCurrent()) ? take(deps, origin, place) : null;
    // One that has no quota left is refused where all others are; nothing was taken.
    if (counted === null) {
      metered.drop();
      return false;
    }
    const headers = [...sent.headers, 'x-request-id', requestId];
    if (counted.length > 0) headers.push(...Object.entries(rateHeaders(counted)).flat());
    if (isEncrypted(origin)) headers.push('strict-transport-security', strictTransport);
    outgoing.writeHead(sent.status, headers);
    if (sent.body === null || incoming.method === 'HEAD') outgoing.end();
    else outgoing.end(sent.body);
    const { route, id, path } = place;
    metered.end({ method: 'GET', route, path, status: sent.status }, () => ({
      ...{ requestId, traceId: span.parent?.traceId ?? parent?.traceId ?? createTraceId(), id, principal: null },
    }));
    tellSpan(span, { method: 'GET', route, status: sent.status });
    span.end();
    return true;
  };
  return (incoming, outgoing, next) => {
    const key = keyOfRead(incoming);
    const found = key === null ? null : answers.find(key);
    if (found === null) return next();
    void attempt(incoming, outgoing, found).then((isAnswered) => {
      if (!isAnswered) next();
    });
  };
}
