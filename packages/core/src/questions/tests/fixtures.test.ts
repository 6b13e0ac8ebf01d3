import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { parseQuestion } from '../index.ts';

const FixtureSchema = z.strictObject({
  understood: z.array(
    z.strictObject({
      q: z.string(),
      subject: z.string(),
      rank_by: z.string(),
      order: z.enum(['asc', 'desc']),
      filters: z.record(z.string(), z.unknown()),
      limit: z.number().optional(),
    }),
  ),
  refused: z.array(z.strictObject({ q: z.string(), code: z.string(), words: z.array(z.string()) })),
});
const file = new URL('../../../fixtures/questions/questions.json', import.meta.url);
const { understood, refused } = FixtureSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

test.each(understood)('$q', ({ q, subject, rank_by, order, filters, limit }) => {
  const question = parseQuestion(q);
  expect(question).toMatchObject({ subject, rankBy: rank_by, order, limit: limit ?? null, price: null });
  expect(question.filters).toEqual(filters);
});

test.each(refused)('rejects "$q"', ({ q, code, words }) => {
  const refusal = (() => {
    try {
      return parseQuestion(q);
    } catch (error) {
      return error;
    }
  })();
  if (!(refusal instanceof DomainError)) throw new Error('not refused');
  expect(refusal.code).toBe(code);
  expect(refusal.faults.flatMap(({ message }) => /^"([^"]*)"/.exec(message)?.[1] ?? [])).toEqual(words);
});
