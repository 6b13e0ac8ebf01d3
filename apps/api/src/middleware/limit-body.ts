import { DomainError } from '@inferboard/core/errors';
import { bodyLimit } from 'hono/body-limit';

const size = (bytes: number) => (bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes / 1024} KiB`);

/** Refuses a body of more bytes than this before it is read, or while it is. */
export function limitBody(bytesMax: number, hint?: string) {
  return bodyLimit({
    maxSize: bytesMax,
    onError: () => {
      const message = `The body may have ${size(bytesMax)}.`;
      throw new DomainError('body_too_large', `The body has more than ${size(bytesMax)}.`, [
        { code: 'body_too_large', message, ...(hint === undefined ? {} : { hint }) },
      ]);
    },
  });
}
