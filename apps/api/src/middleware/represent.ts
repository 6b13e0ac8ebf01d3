import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';

type Coding = 'br' | 'gzip';

const [packBrotli, packGzip] = [promisify(brotliCompress), promisify(gzip)];
const encoders: Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>> = {
  // The library's own quality, 11, is for files that are packed once.
  br: (bytes) => packBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes) => packGzip(bytes),
};

/** What is held whole before it leaves. Exports and events flow, artifacts and images are packed or tagged already. */
const whole =
  /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?:html|markdown|plain|css|javascript)|image\/svg\+xml)(?:;|$)/;
/** Smaller bodies grow, or fit into the first packet anyway. */
const packedFrom = 1024;

/** The coding a client prefers, of those we have; ours first where it is indifferent. */
export function chooseCoding(accepted: string | undefined): Coding | null {
  const weights = new Map<string, number>();
  for (const part of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((text) => text.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (name !== '' && weight >= 0 && weight <= 1) weights.set(name, weight);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = (['br', 'gzip'] as const).toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/** Names that a list of tags may call the same bytes by: bare, or with the coding they left in. */
const coreOf = (tag: string) => tag.replace(/-(?:br|gzip)"$/, '"');
const tagsOf = (header: string) => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** True if `If-None-Match` names this tag; there weak tags are as good as strong ones. */
function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.trim() === '*' || tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}

/** True if `If-Match` names the resource as it is, in whatever coding it was read. Weak tags never match. */
export function isNamed(header: string, current: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => coreOf(tag) === coreOf(current));
}

/** Short, because it travels with every request; 162 bits of it are plenty. */
const digestOf = (bytes: Uint8Array) => hash('sha256', bytes, 'base64url').slice(0, 27);

/**
 * Gives every GET that answers whole a strong tag, answers 304 to those who have it, and packs whatever is whole for those
 * who can unpack. The tag is of the bytes before they are packed, so that a 304 costs no packing, and says how they were
 * packed, so that it is a strong one of what left.
 */
export function represent(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const { res } = c;
    const { status } = res;
    if (!whole.test(res.headers.get('content-type') ?? '') || res.headers.has('content-encoding')) return;
    // Neither tagged nor packed it leaves as it is: the list of ten thousand results stored is 38 MB.
    if (c.req.method === 'POST' && chooseCoding(c.req.header('accept-encoding')) === null) {
      res.headers.append('Vary', 'Accept-Encoding');
      return;
    }
    const bytes = new Uint8Array(await res.arrayBuffer());
    const headers = new Headers(res.headers);
    const isWorthwhile = bytes.byteLength >= packedFrom;
    const coding = isWorthwhile ? chooseCoding(c.req.header('accept-encoding')) : null;
    if (isWorthwhile) headers.append('Vary', 'Accept-Encoding');
    // What stands there would be merged into what comes.
    c.res = undefined;
    if (c.req.method === 'GET' && status === 200) {
      const tag = `"${digestOf(bytes)}${coding === null ? '' : `-${coding}`}"`;
      headers.set('ETag', tag);
      if (isKnown(c.req.header('if-none-match'), tag)) {
        for (const name of ['content-type', 'content-length', 'content-disposition']) headers.delete(name);
        c.res = new Response(null, { status: 304, headers });
        return;
      }
    }
    const sent = coding === null ? bytes : await encoders[coding](bytes);
    if (coding !== null) headers.set('Content-Encoding', coding);
    headers.set('Content-Length', String(sent.byteLength));
    c.res = new Response(sent, { status, headers });
  };
}
