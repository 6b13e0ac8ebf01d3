import { z } from '@hono/zod-openapi';
import { searchLength } from '@inferboard/core/find/words';

/** The text of a search. */
export const SearchTextSchema = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(searchLength, `at most ${searchLength} characters`)
  .refine((text) => !text.includes('\u0000'), 'must not contain the character U+0000');
