import { hash } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import type { MiddlewareHandler } from 'hono';
import type { AppContext, Deps } from '../deps.ts';
import { problemType, toProblem } from '../http/errors.ts';
import { jsonLine } from '../submissions/json-line.ts';

/**
 * First and last byte of the requested range. Null if the header is not a single range, which is ignored; `none` if the range
 * cannot be satisfied.
 */
export function readRange(header: string, size: number): { first: number; last: number } | 'none' | null {
  const [, from, to] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return null;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return null;
  return first >= size ? 'none' : { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

const digestOf = (bytes: Uint8Array) => `sha-256=:${hash('sha256', bytes, 'base64')}:`;

/** Headers that describe the artifact and do not apply to a refusal. */
const ofArtifact = ['cache-control', 'content-disposition', 'content-length', 'etag', 'repr-digest'];

/**
 * Serves ranges of a response with a strong tag (RFC 9110, section 14), so that interrupted downloads can continue. A request for
 * several ranges gets the whole body, as the standard allows. Every response has the digest of its bytes.
 */
export function serveRanges(deps: Deps): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const { res } = c;
    if (c.req.method !== 'GET' || res.status !== 200) return;
    const bytes = new Uint8Array(await res.arrayBuffer());
    const headers = new Headers(res.headers);
    headers.set('Accept-Ranges', 'bytes');
    const wanted = c.req.header('range');
    const condition = c.req.header('if-range');
    // `If-Range` with a different tag, or with a date, which we never send: return the whole current body.
    const isMeant = wanted !== undefined && (condition === undefined || condition === headers.get('etag'));
    const range = isMeant ? readRange(wanted, bytes.byteLength) : null;
    c.res = undefined;
    if (range === 'none') {
      const error = new DomainError(
        'range_not_satisfiable',
        `The range is outside the ${bytes.byteLength} bytes of the artifact.`,
      );
      for (const name of ofArtifact) headers.delete(name);
      headers.set('Content-Type', problemType);
      headers.set('Content-Range', `bytes */${bytes.byteLength}`);
      const problem = toProblem(error, c.get('requestId'), deps.publicUrl);
      c.res = new Response(jsonLine(problem), { status: 416, headers });
      return;
    }
    const { first, last } = range ?? { first: 0, last: bytes.byteLength - 1 };
    const part = bytes.subarray(first, last + 1);
    headers.set('Content-Length', String(part.byteLength));
    headers.set('Content-Digest', digestOf(part));
    if (range !== null) headers.set('Content-Range', `bytes ${first}-${last}/${bytes.byteLength}`);
    c.res = new Response(part, { status: range === null ? 200 : 206, headers });
  };
}
