import { DomainError } from '@inferboard/core/errors';
import type { MiddlewareHandler } from 'hono';

const size = (bytes: number) => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`);

/**
 * The whole of a body that does not say how long it is; null where it is longer. Its pieces are kept as they come: one buffer
 * that grows would be there several times.
 */
async function readWhole(body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body.values({ preventCancel: true })) {
    size += piece.length;
    if (size > bytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/**
 * Refuses a body of more bytes than this before it is read, or while it is.
 *
 * @throws DomainError `body_too_large`
 */
export function limitBody(bytesMax: number, hint?: string): MiddlewareHandler {
  const refusal = () => {
    const message = `The body may have ${size(bytesMax)}.`;
    return new DomainError('body_too_large', `The body has more than ${size(bytesMax)}.`, [
      { code: 'body_too_large', message, ...(hint === undefined ? {} : { hint }) },
    ]);
  };
  return async (c, next) => {
    const { body, headers } = c.req.raw;
    if (body === null) return next();
    const length = headers.has('transfer-encoding') ? null : headers.get('content-length');
    if (length !== null) {
      if (Number.parseInt(length, 10) > bytesMax) throw refusal();
      return next();
    }
    const whole = await readWhole(body, bytesMax);
    if (whole === null) throw refusal();
    c.req.raw = new Request(c.req.raw, { body: whole });
    return next();
  };
}
