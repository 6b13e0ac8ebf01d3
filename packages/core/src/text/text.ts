import { z } from 'zod';
import { deceptionIn } from '../names/deceptive.ts';

/** Characters that hide or reorder surrounding text, except line ends and tabs. */
const hostileInProse = /\p{Bidi_Control}|(?![\t\r\n])\p{Cc}/u;

const isWellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);

/** Maximum length of a name from a caller: model, GPU, account ... */
export const nameLengthMax = 200;

/** A name in Unicode's composed form without surrounding blanks. Rejects deceptive characters. */
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

/** Text of several lines for terminals and pages. Rejects characters that reorder, color or hide surrounding text. */
export const proseSchema = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax, `must have at most ${lengthMax} characters`)
    .refine(
      (text) => !hostileInProse.test(text) && isWellFormed(text),
      'must be plain text without control characters',
    );
