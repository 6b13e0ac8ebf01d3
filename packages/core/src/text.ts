import { z } from 'zod';
import { deceptionIn } from './names/deceptive.ts';

/** Characters that hide or turn what stands around them, but for ends of lines and tabs. */
const hostileInProse = /\p{Bidi_Control}|(?![\t\r\n])\p{Cc}/u;

const isWellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);

/** Longest name a caller may give: model, GPU, account ... */
export const nameLengthMax = 200;

/** A name as people write it, in Unicode's composed form and without blanks around it; it must look like what it is. */
export const NameSchema = z
  .string()
  .transform((text) => text.normalize('NFC').trim())
  .pipe(
    z
      .string()
      .min(1, 'must not be empty')
      .max(nameLengthMax, `must have at most ${nameLengthMax} characters`)
      .superRefine((text, context) => {
        const message = deceptionIn(text);
        if (message !== null) context.addIssue({ code: 'custom', message });
      }),
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
