import { createHash } from 'node:crypto';
import { DomainError, type Fault } from '@inferboard/core/errors';
import { z } from 'zod';

/** Parameters that select the page and the form of a response, not its data. */
const placeNames = new Set(['cursor', 'limit', 'full', 'fields', 'format']);

/** A short hash of the query. A cursor is valid only for the query it was made for. */
function scopeOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  const asked = [...searchParams].filter(([name]) => !placeNames.has(name)).sort();
  return createHash('sha256')
    .update(JSON.stringify([pathname, asked]))
    .digest('base64url')
    .slice(0, 12);
}

/** Text that the database cannot store cannot have come from it. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000') && !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text);
}

function cursorFault(): Fault {
  return {
    code: 'cursor_invalid',
    parameter: 'cursor',
    message: 'cursor is invalid for this list and these parameters.',
    hint: 'Send next_cursor of the previous page with the same parameters, or omit cursor to start at the first page.',
  };
}

/** Encodes the end position of a page as opaque text. */
export function encodeCursor(url: string, position: unknown): string {
  return Buffer.from(JSON.stringify([scopeOf(url), position])).toString('base64url');
}

/** The position where the previous page ended; null at the start, undefined if the cursor does not belong to this query. */
export function readCursor<T>(url: string, schema: z.ZodType<T>): T | null | undefined {
  const cursor = new URL(url).searchParams.get('cursor');
  if (cursor === null) return null;
  try {
    const text = Buffer.from(cursor, 'base64url').toString('utf8');
    const parsed = z.tuple([z.literal(scopeOf(url)), schema]).safeParse(isStorable(text) ? JSON.parse(text) : null);
    return parsed.success ? (parsed.data[1] as T) : undefined;
  } catch {
    // Any error gives the same result.
    return undefined;
  }
}

/** The error for a well-formed cursor whose position does not exist. */
export const cursorRefusal = () => new DomainError('request_invalid', 'The cursor is not valid.', [cursorFault()]);

/** The error for a cursor that does not belong to this query, to report together with others. */
export function cursorFaults<T>(url: string, schema: z.ZodType<T>): Fault[] {
  // A repeated cursor is rejected elsewhere, and is ambiguous.
  const isOne = new URL(url).searchParams.getAll('cursor').length === 1;
  return isOne && readCursor(url, schema) === undefined ? [cursorFault()] : [];
}

/**
 * The position where the previous page ended, or null at the start.
 *
 * @throws DomainError `request_invalid` if the cursor was not made for this query
 */
export function decodeCursor<T>(url: string, schema: z.ZodType<T>): T | null {
  const position = readCursor(url, schema);
  if (position === undefined) throw cursorRefusal();
  return position;
}

/**
 * A page of a list, and the cursor of the next page; null on the last one.
 *
 * @param read reads up to that many rows: one more than the page has
 * @param positionOf the position of the last row, as `decodeCursor` returns it for the next page
 */
export async function readPage<T>(
  url: string,
  limit: number,
  read: (limit: number) => Promise<readonly T[]>,
  positionOf: (row: T) => unknown,
): Promise<{ page: readonly T[]; cursor: string | null }> {
  const rows = await read(limit + 1);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, cursor: last === undefined ? null : encodeCursor(url, positionOf(last)) };
}
