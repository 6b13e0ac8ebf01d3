import { expect, test } from 'vitest';
import { z } from 'zod';
import { inWords } from './schema-words.ts';

test.each([
  [z.array(z.number()).min(1), [], 'must have at least 1 item'],
  [z.array(z.number()).max(2), [1, 2, 3], 'must have at most 2 items'],
  [z.string().max(3), 'text', 'must have at most 3 characters'],
  [z.int().positive(), 0, 'must be above 0'],
  [z.number().nonnegative(), -1, 'must be at least 0'],
  [z.number().max(5), 6, 'must be at most 5'],
  [z.number().lt(5), 5, 'must be below 5'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.array(z.number()), 'text', 'must be a list'],
  [z.strictObject({}), [], 'must be an object'],
  [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
  [z.union([z.string(), z.boolean()]), [], 'has an invalid value'],
  [z.string().regex(/^x/, 'must begin with x'), 'y', 'must begin with x'],
])('words the message of a schema', (schema, value, words) => {
  expect(inWords(schema.safeParse(value).error?.issues[0]?.message ?? '')).toBe(words);
});
