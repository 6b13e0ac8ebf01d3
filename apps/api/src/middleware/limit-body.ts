import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { DomainError } from '@inferboard/core/errors';
import type { Principal } from '@inferboard/db/queries/account';
import type { Context, MiddlewareHandler } from 'hono';
import { type BodyReceiver, createBodyReceiver } from '../bodies/receive-body.ts';
import { visitorOf } from '../inside.ts';

const size = (bytes: number) => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`);

/** A body that says it is this short is read by its handler, and counts against no limit. */
const uncounted = 64 * 1024;

/** One for the process, whose memory and disk it bounds. */
export const bodyReceiver = createBodyReceiver();

/**
 * A body as it arrives. Whoever stops reading leaves the connection as it is, for the answer has to leave by it. From a
 * connection it is read as it comes: the stream of a request would hold as much again.
 */
function piecesOf(c: Context): AsyncIterable<Uint8Array> | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming instanceof Readable) return incoming.iterator({ destroyOnReturn: false });
  return c.req.raw.body?.values({ preventCancel: true }) ?? null;
}

/** Whose limit a body counts against: the key's, else the address's. */
function senderOf(c: Context): string {
  const principal = c.get('principal') as Principal | null | undefined;
  if (principal) return `key ${principal.keyId}`;
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  return `address ${visitorOf(c) ?? incoming?.socket?.remoteAddress ?? 'unknown'}`;
}

/**
 * Refuses a body of more bytes than this before it is read, or while it is. One that is large, or does not say how long it
 * is, comes to the handler once all of it is there.
 *
 * @throws DomainError `body_too_large`, and what the receiver throws
 */
export function limitBody(
  bytesMax: number,
  hint?: string,
  receiver: Pick<BodyReceiver, 'receive'> = bodyReceiver,
): MiddlewareHandler {
  const refusal = () => {
    const message = `The body may have ${size(bytesMax)}.`;
    return new DomainError('body_too_large', `The body has more than ${size(bytesMax)}.`, [
      { code: 'body_too_large', message, ...(hint === undefined ? {} : { hint }) },
    ]);
  };
  return async (c, next) => {
    // Other methods have no route, and no request may be made of some of them.
    if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(c.req.method)) return next();
    const length = c.req.raw.headers.has('transfer-encoding') ? undefined : c.req.header('content-length');
    const declared = length === undefined ? null : Number.parseInt(length, 10);
    if (declared !== null && declared > bytesMax) throw refusal();
    if (declared !== null && declared <= uncounted) return next();
    const pieces = piecesOf(c);
    if (pieces === null) return next();
    const isWhole = await receiver.receive({ pieces, declared, bytesMax, sender: senderOf(c) }, async (whole) => {
      // As a stream: a request that is made of bytes copies them.
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
