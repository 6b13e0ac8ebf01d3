import { z } from 'zod';
import { holdsCredential } from '../credentials.ts';

const printable = 'must be a URL without spaces or control characters';

/** A URL that pages will link to: http or https, printable, without a password. */
export const SourceUrlSchema = z
  .string()
  .max(2000, { error: 'must have at most 2000 characters', abort: true })
  // Check before parsing, because the URL parser silently drops line breaks.
  .regex(/^[\x21-\x7e]*$/, { error: printable, abort: true })
  .regex(/^(?:(?!%(?:0[0-9a-f]|1[0-9a-f]|7f)).)*$/i, { error: printable, abort: true })
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true }))
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), {
    error: 'must not contain a user name or password',
    abort: true,
  })
  .refine((url) => !holdsCredential(url), 'must not contain a key or token: it is public')
  .meta({ type: 'string', format: 'uri', pattern: '^https?://[\\x21-\\x7e]*$', maxLength: 2000 });
