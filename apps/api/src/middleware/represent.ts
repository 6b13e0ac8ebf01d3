import type { MiddlewareHandler } from 'hono';
import { chooseCoding, isKnown } from '../answer-cache/accepted.ts';
import { Answer } from '../answer-cache/answer.ts';
import type { AppContext } from '../deps.ts';

/** What is held whole before it leaves. Exports and events flow, artifacts and images are packed or tagged already. */
const whole =
  /^(?:application\/(?:[\w.-]+\+)?(?:json|xml)|text\/(?:html|markdown|plain|css|javascript)|image\/svg\+xml)(?:;|$)/;

/** Whether an answer is held whole before it leaves. */
export const isWhole = ({ headers }: Response): boolean =>
  whole.test(headers.get('content-type') ?? '') && !headers.has('content-encoding');

/**
 * Gives every GET that answers whole a strong tag, answers 304 to those who have it, and packs whatever is whole for those
 * who can unpack. What the cache keeps was tagged and packed before.
 */
export function represent(): MiddlewareHandler<AppContext> {
  return async (c, next) => {
    await next();
    const { res } = c;
    const { status } = res;
    if (!isWhole(res)) return;
    const accepted = c.req.header('accept-encoding');
    // Neither tagged nor packed it leaves as it is: the list of ten thousand results stored is 38 MB.
    if (c.req.method === 'POST' && chooseCoding(accepted) === null) {
      res.headers.append('Vary', 'Accept-Encoding');
      return;
    }
    const answer = c.get('answer') ?? new Answer(new Uint8Array(await res.arrayBuffer()));
    const headers = new Headers(res.headers);
    if (answer.isWorthPacking) headers.append('Vary', 'Accept-Encoding');
    // What stands there would be merged into what comes.
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
