import type { MiddlewareHandler } from 'hono';
import type { AppContext } from '../deps.ts';
import { chooseCoding } from '../response-cache/accept-encoding.ts';
import { BufferedResponse } from '../response-cache/buffered-response.ts';
import { matchesIfNoneMatch } from '../response-cache/conditional-requests.ts';

/**
 * Media types of responses that are complete in memory before they are sent. Exports and events are streams; artifacts and images
 * are tagged or compressed already.
 */
const bufferedTypes =
  /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?:html|markdown|plain|css|javascript)|image\/svg\+xml)(?:;|$)/;

/** Whether a response is complete in memory before it is sent. */
export const isBufferable = ({ headers }: Response): boolean =>
  bufferedTypes.test(headers.get('content-type') ?? '') && !headers.has('content-encoding');

/**
 * Sets a strong tag on every complete GET response, returns 304 to clients that have it, and compresses complete responses for
 * clients that accept it. Cached responses are already tagged and compressed.
 */
export function represent(): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const { res } = c;
    const { status } = res;
    if (!isBufferable(res)) return;
    const accepted = c.req.header('accept-encoding');
    // A response that is neither tagged nor compressed is sent unchanged: the list of ten thousand stored results is 38 MB.
    if (c.req.method === 'POST' && chooseCoding(accepted) === null) {
      res.headers.append('Vary', 'Accept-Encoding');
      return;
    }
    const response = c.get('cacheableResponse') ?? new BufferedResponse(new Uint8Array(await res.arrayBuffer()));
    const headers = new Headers(res.headers);
    if (response.isWorthCompressing) headers.append('Vary', 'Accept-Encoding');
    // Hono would merge the existing response into the new one.
    c.res = undefined;
    const coding = response.isWorthCompressing ? chooseCoding(accepted) : null;
    if (c.req.method === 'GET' && status === 200) {
      const tag = response.etag(coding);
      headers.set('ETag', tag);
      if (matchesIfNoneMatch(c.req.header('if-none-match'), tag)) {
        for (const name of ['content-type', 'content-length', 'content-disposition']) headers.delete(name);
        c.res = new Response(null, { status: 304, headers });
        return;
      }
    }
    const body = await response.encoded(coding);
    if (coding !== null) headers.set('Content-Encoding', coding);
    headers.set('Content-Length', String(body.byteLength));
    c.res = new Response(body, { status, headers });
  };
}
