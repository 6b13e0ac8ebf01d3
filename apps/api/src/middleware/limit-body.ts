import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/accounts/account';
import type { Context, MiddlewareHandler } from 'hono';
import { type BodyReceiver, createBodyReceiver } from '../bodies/receive-body.ts';
import { visitorOf } from '../http/internal-requests.ts';

const size = (bytes: number) => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`);

/** A body with at most this Content-Length is read by its handler and is not counted. */
const uncounted = 64 * 1024;

/** One receiver for the process, to limit its memory and disk. */
export const bodyReceiver = createBodyReceiver();

/**
 * The chunks of a body as they arrive. Ending the iteration keeps the connection open, because the response still needs it. The
 * body is read from the socket directly: the request's stream would buffer the same amount again.
 */
function piecesOf(c: Context): AsyncIterable<Uint8Array> | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming instanceof Readable) return incoming.iterator({ destroyOnReturn: false });
  return c.req.raw.body?.values({ preventCancel: true }) ?? null;
}

/** The sender whose limit a body counts against: the key, otherwise the address. */
function senderOf(c: Context): string {
  const principal = c.get('principal') as Principal | null | undefined;
  if (principal) return `key ${principal.keyId}`;
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return `address ${visitorOf(c) ?? incoming?.socket?.remoteAddress ?? 'unknown'}`;
}

/**
 * Rejects bodies with more bytes than this, before or during reading. A body that is large or has no Content-Length is passed to
 * the handler when complete.
 *
 * @throws DomainError `body_too_large`, and the errors of the receiver
 */
export function limitBody(
  bytesMax: number,
  hint?: string,
  receiver: Pick<BodyReceiver, 'receive'> = bodyReceiver,
): MiddlewareHandler {
  const refusal = () => {
    const message = `The maximum is ${size(bytesMax)}.`;
    return new DomainError('body_too_large', `The body has more than ${size(bytesMax)}.`, [
      { code: 'body_too_large', message, ...(hint === undefined ? {} : { hint }) },
    ]);
  };
  return async (c, next) => {
    // Other methods have no route with a body, and `Request` rejects some of them.
    if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(c.req.method)) return next();
    const length = c.req.raw.headers.has('transfer-encoding') ? undefined : c.req.header('content-length');
    const declared = length === undefined ? null : Number.parseInt(length, 10);
    if (declared !== null && declared > bytesMax) throw refusal();
    const bytesRead = c.get('bodyBytes') as number | undefined;
    if (bytesRead !== undefined) {
      if (bytesRead > bytesMax) throw refusal();
      return next();
    }
    if (declared !== null && declared <= uncounted) return next();
    const pieces = piecesOf(c);
    if (pieces === null) return next();
    const isWhole = await receiver.receive({ pieces, declared, bytesMax, sender: senderOf(c) }, async (whole) => {
      // A stream, because a request made from bytes copies them.
      const body = new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(whole));
          controller.close();
        },
      });
      c.req.raw = new Request(c.req.raw, { body, duplex: 'half' } as RequestInit);
      await next();
    });
    if (!isWhole) throw refusal();
  };
}
