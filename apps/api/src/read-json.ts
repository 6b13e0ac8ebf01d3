import { JsonError, readJson } from '@inferboard/core/adapters/reading/json';
import { DomainError } from '@inferboard/core/errors';
import type { Context } from 'hono';
import type { z } from 'zod';
import { toFaults } from './refuse.ts';

/**
 * The JSON value in the body of a request, read as strictly as artifacts are: UTF-8, no key twice, nothing after the value.
 *
 * @throws DomainError `media_type_unsupported`, `request_invalid`
 */
export async function readJsonValue(c: Context): Promise<unknown> {
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new DomainError(
      'media_type_unsupported',
      'The body must be JSON: send the header "Content-Type: application/json".',
    );
  }
  return parse(new Uint8Array(await c.req.arrayBuffer()));
}

/**
 * The JSON body of a request, as its schema wants it.
 *
 * @throws DomainError `media_type_unsupported`, `request_invalid` with every fault
 */
export async function readJsonBody<T>(c: Context, schema: z.ZodType<T> & { shape: object }): Promise<T> {
  const parsed = schema.safeParse(await readJsonValue(c));
  if (parsed.success) return parsed.data;
  throw new DomainError(
    'request_invalid',
    'The body is not valid.',
    toFaults(parsed.error.issues, Object.keys(schema.shape), true),
  );
}

const malformed = (message: string, line: number) =>
  new DomainError('request_invalid', 'The body is not well-formed JSON.', [
    { code: 'json_malformed', line, message, hint: 'Send one JSON object, in UTF-8.' },
  ]);

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const text = new TextDecoder('utf-8').decode(bytes);
    throw malformed('The body is not UTF-8.', lineAt(text, text.indexOf('\ufffd')));
  }
}

function parse(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  try {
    const { end } = readJson(text);
    if (text.slice(end).trim() !== '') throw malformed('There is more after the JSON value.', lineAt(text, end));
  } catch (error) {
    if (error instanceof JsonError) throw malformed(error.message, lineAt(text, error.offset));
    throw error;
  }
  try {
    // The reader of artifacts takes NaN, and keeps numbers beyond a double as text: here they are no value of any field.
    return JSON.parse(text);
  } catch {
    throw malformed('The body holds NaN or Infinity, which JSON has no word for.', 1);
  }
}
