import { z } from 'zod';
import { holdsCredential } from '../credentials.ts';

const printable = 'must be an address without blanks or control characters';

/** An address that pages will link to: http or https, printable, and nobody's password in it. */
export const SourceUrlSchema = z
  .string()
  .max(2000, { error: 'must have at most 2000 characters', abort: true })
  // Before the address is parsed: parsing drops line breaks without a word.
  .regex(/^[\x21-\x7e]*$/, { error: printable, abort: true })
  .regex(/^(?:(?!%(?:0[0-9a-f]|1[0-9a-f]|7f)).)*$/i, { error: printable, abort: true })
  .pipe(z.url({ protocol: /^https?$/, error: 'must be an http or https address', abort: true }))
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), { error: 'must not hold a user name or password', abort: true })
  .refine((url) => !holdsCredential(url), 'must not hold a key or token: it is public')
  .meta({ type: 'string', format: 'uri', pattern: '^https?://[\\x21-\\x7e]*$', maxLength: 2000 });
