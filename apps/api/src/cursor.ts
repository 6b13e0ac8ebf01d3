import { createHash } from 'node:crypto';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { z } from 'zod';

/** Parameters that select the page and the length of an answer, not what is asked. */
const placeNames = new Set(['cursor', 'limit', 'full']);

/** What was asked, as short text: a cursor holds for the question it was made for and no other. */
function scopeOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const asked = [...searchParams].filter(([name]) => !placeNames.has(name)).sort();
  return createHash('sha256')
    .update(JSON.stringify([pathname, asked]))
    .digest('base64url')
    .slice(0, 12);
}

/** Text the database would refuse never came out of it. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000') && !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text);
}

function cursorFault(): Fault {
  return {
    code: 'cursor_invalid',
    parameter: 'cursor',
    message: 'cursor is not one that this list answered to this question.',
    hint: 'Pass next_cursor of the page before with the same parameters, or leave cursor away to begin at the start.',
  };
}

/** Where a page of the answer to a request ended, as opaque text. */
export function encodeCursor(url: string, position: unknown): string {
  return Buffer.from(JSON.stringify([scopeOf(url), position])).toString('base64url');
}

/** Where the page before ended; null at the start, undefined if the cursor is not one of this question. */
export function readCursor<T>(url: string, schema: z.ZodType<T>): T | null | undefined {
  const cursor = new URL(url).searchParams.get('cursor');
  if (cursor === null) return null;
  try {
    const text = Buffer.from(cursor, 'base64url').toString('utf8');
    const parsed = z.tuple([z.literal(scopeOf(url)), schema]).safeParse(isStorable(text) ? JSON.parse(text) : null);
    return parsed.success ? (parsed.data[1] as T) : undefined;
  } catch {
    // Whatever is wrong with it, the answer is the same.
    return undefined;
  }
}

/** For a cursor that is well made and names a place that never was. */
export const cursorRefusal = () => new DomainError('request_invalid', 'The cursor cannot be used.', [cursorFault()]);

/** The fault of a cursor that is not one of this question, to be told together with others. */
export function cursorFaults<T>(url: string, schema: z.ZodType<T>): Fault[] {
  // Given twice it is refused for that, and nobody knows which of them is meant.
  const isOne = new URL(url).searchParams.getAll('cursor').length === 1;
  return isOne && readCursor(url, schema) === undefined ? [cursorFault()] : [];
}

/**
 * Where the page before ended, or null at the start.
 *
 * @throws DomainError `request_invalid` if the cursor is not one that was made for this question
 */
export function decodeCursor<T>(url: string, schema: z.ZodType<T>): T | null {
  const position = readCursor(url, schema);
  if (position === undefined) throw cursorRefusal();
  return position;
}
