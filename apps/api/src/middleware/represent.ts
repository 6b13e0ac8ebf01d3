import type { MiddlewareHandler } from 'hono';
import { chooseCoding, isKnown } from '../answer-cache/accepted.ts';
import { Answer } from '../answer-cache/answer.ts';
import type { AppContext } from '../deps.ts';

/**
 * Media types of responses that are complete in memory before they are sent. Exports and events are streams; artifacts and images
 * are tagged or compressed already.
 */
const whole =
  /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?:html|markdown|plain|css|javascript)|image\/svg\+xml)(?:;|$)/;

/** Whether a response is complete in memory before it is sent. */
export const isWhole = ({ headers }: Response): boolean =>
  whole.test(headers.get('content-type') ?? '') && !headers.has('content-encoding');

/**
 * Sets a strong tag on every complete GET response, returns 304 to clients that have it, and compresses complete responses for
 * clients that accept it. Cached responses are already tagged and compressed.
 */
export function represent(): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const { res } = c;
    const { status } = res;
    if (!isWhole(res)) return;
    const accepted = c.req.header('accept-encoding');
    // A response that is neither tagged nor compressed is sent unchanged: the list of ten thousand stored results is 38 MB.
    if (c.req.method === 'POST' && chooseCoding(accepted) === null) {
      res.headers.append('Vary', 'Accept-Encoding');
      return;
    }
    const answer = c.get('answer') ?? new Answer(new Uint8Array(await res.arrayBuffer()));
    const headers = new Headers(res.headers);
    if (answer.isWorthPacking) headers.append('Vary', 'Accept-Encoding');
    // Hono would merge the existing response into the new one.
    c.res = undefined;
    const coding = answer.isWorthPacking ? chooseCoding(accepted) : null;
    if (c.req.method === 'GET' && status === 200) {
      const tag = answer.tagOf(coding);
      headers.set('ETag', tag);
      if (isKnown(c.req.header('if-none-match'), tag)) {
        for (const name of ['content-type', 'content-length', 'content-disposition']) headers.delete(name);
        c.res = new Response(null, { status: 304, headers });
        return;
      }
    }
    const sent = await answer.packed(coding);
    if (coding !== null) headers.set('Content-Encoding', coding);
    headers.set('Content-Length', String(sent.byteLength));
    c.res = new Response(sent, { status, headers });
  };
}
