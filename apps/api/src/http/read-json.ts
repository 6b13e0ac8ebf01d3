import { JsonError, readJson } from '@inferboard/core/adapters/reading/documents/json';
import { DomainError, type Fault } from '@inferboard/core/errors';
import type { Context } from 'hono';
import type { z } from 'zod';
import { faultsMax, toFaults } from './refuse.ts';

/**
 * Reads the JSON value in a request body, as strictly as artifacts: UTF-8, no duplicate keys, nothing after the value.
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
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    const message = `The body has the Content-Encoding "${encoding.slice(0, 100)}", which is not supported here.`;
    const fault = { code: 'encoding_unsupported', message, hint: 'Send the JSON uncompressed.' };
    throw new DomainError('request_invalid', message, [fault]);
  }
  return parse(new Uint8Array(await c.req.arrayBuffer()));
}

/**
 * Reads the JSON body of a request and validates it against its schema. `others` adds errors that no schema can detect.
 *
 * @throws DomainError `media_type_unsupported`, `request_invalid` with all errors
 */
export async function readJsonBody<T>(
  c: Context,
  schema: z.ZodType<T> & { shape: object },
  others: (body: unknown) => Fault[] = () => [],
): Promise<T> {
  const body = await readJsonValue(c);
  const parsed = schema.safeParse(body);
  const own = parsed.success ? [] : toFaults(parsed.error.issues, Object.keys(schema.shape), true);
  const places = new Set(own.map(({ pointer }) => pointer));
  const faults = [...own, ...others(body).filter(({ pointer }) => !places.has(pointer))];
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new DomainError('request_invalid', 'The body is not valid.', faults.slice(0, faultsMax));
}

const malformed = (message: string, line: number) =>
  new DomainError('request_invalid', 'The body is not valid JSON.', [
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
    if (text.slice(end).trim() !== '') throw malformed('There is text after the JSON value.', lineAt(text, end));
  } catch (error) {
    if (error instanceof JsonError)
      throw malformed(`The body is not valid JSON: ${error.message}.`, lineAt(text, error.offset));
    throw error;
  }
  try {
    // The artifact parser accepts NaN and keeps numbers beyond a double as text. No field here accepts either.
    return JSON.parse(text);
  } catch {
    throw malformed('The body contains NaN or Infinity, which are not valid JSON.', 1);
  }
}
