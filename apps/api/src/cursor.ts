import { DomainError } from '@inferboard/core/errors';
import type { z } from 'zod';

/** Where a page ended, as opaque text. */
export function encodeCursor(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Reads a cursor back.
 *
 * @throws DomainError `request_invalid` if it is not one this service made for this kind of list
 */
export function decodeCursor<T>(cursor: string | undefined, schema: z.ZodType<T>): T | null {
  if (cursor === undefined) return null;
  const fault = {
    code: 'cursor_invalid',
    parameter: 'cursor',
    message: 'cursor is not one that this list answered.',
    hint: 'Pass next_cursor of the page before unchanged, or leave cursor away to begin at the start.',
  };
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    if (parsed.success) return parsed.data;
  } catch {
    // falls through: whatever is wrong with it, the answer is the same
  }
  throw new DomainError('request_invalid', 'The cursor cannot be used.', [fault]);
}
