import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import type { HttpBindings } from '@hono/node-server';
import { DomainError } from '@inferboard/core/errors';
import type { Context, MiddlewareHandler } from 'hono';
import { createShelf } from '../bodies/shelf.ts';

const size = (bytes: number) => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`);

/** What of a body is held in memory while it arrives, however many there are and however slowly they come. */
const heldBytes = 64 * 1024;

/** One for the process, for it is the process that runs out of memory: 64 bodies of 16 MiB. */
const shelf = createShelf(tmpdir(), { heldBytes, keptBytes: 1024 ** 3, atOnce: 4 });

/**
 * A body as it arrives. Whoever stops reading leaves the connection as it is, for the answer has to leave by it. From a
 * connection it is read as it comes: the stream of a request would hold as much again.
 */
function piecesOf(c: Context): AsyncIterable<Uint8Array> | null {
  const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
  if (incoming instanceof Readable) return incoming.iterator({ destroyOnReturn: false });
  return c.req.raw.body?.values({ preventCancel: true }) ?? null;
}

/**
 * Refuses a body of more bytes than this before it is read, or while it is. One that is large, or does not say how long it
 * is, comes to the handler once all of it is there.
 *
 * @throws DomainError `body_too_large`, and what the shelf throws
 */
export function limitBody(bytesMax: number, hint?: string): MiddlewareHandler {
  const refusal = () => {
    const message = `The body may have ${size(bytesMax)}.`;
    return new DomainError('body_too_large', `The body has more than ${size(bytesMax)}.`, [
      { code: 'body_too_large', message, ...(hint === undefined ? {} : { hint }) },
    ]);
  };
  return async (c, next) => {
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const length = c.req.raw.headers.has('transfer-encoding') ? undefined : c.req.header('content-length');
    const declared = length === undefined ? null : Number.parseInt(length, 10);
    if (declared !== null && declared > bytesMax) throw refusal();
    if (declared !== null && declared <= heldBytes) return next();
    const pieces = piecesOf(c);
    if (pieces === null) return next();
    const isWhole = await shelf.take(pieces, bytesMax, async (whole) => {
      // Another request with this body would hold it three times. What is kept here are promises, though its type says not.
      c.req.bodyCache.arrayBuffer = Promise.resolve(whole) as never;
      await next();
    });
    if (!isWhole) throw refusal();
  };
}
