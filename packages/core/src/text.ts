import { z } from 'zod';

// Control characters and changes of direction can make one name look like another; the database keeps no U+0000.
const hostile = /[\p{Cc}\p{Bidi_Control}]/u;

/** The same where lines end and tabs stand. */
const hostileInProse = /\p{Bidi_Control}|(?![\t\r\n])\p{Cc}/u;

const isWellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);

/** Longest name a caller may give: model, GPU, account ... */
export const nameLengthMax = 200;

/** A name as people write it, in Unicode's composed form and without blanks around it. */
export const NameSchema = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(nameLengthMax, `must have at most ${nameLengthMax} characters`)
      .refine((text) => !hostile.test(text) && isWellFormed(text), 'must be plain text without control characters'),
  )
  .meta({ type: 'string', minLength: 1, maxLength: nameLengthMax });

/** Text of several lines, as terminals and pages show it: nothing that turns, colours or hides what stands around it. */
export const proseSchema = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    .refine(
      (text) => !hostileInProse.test(text) && isWellFormed(text),
      'must be plain text without control characters',
    );
