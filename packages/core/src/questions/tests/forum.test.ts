import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { memoryOf, parseQuestion, type Question, questionKinds, toWords } from '../index.ts';

const FiltersSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.array(z.union([z.string(), z.number()]))]),
);
const AskedSchema = z.strictObject({
  q: z.string(),
  kind: z.enum(questionKinds),
  subject: z.string().optional(),
  filters: FiltersSchema,
  rank_by: z.string().optional(),
  order: z.enum(['asc', 'desc']).optional(),
  limit: z.number().optional(),
  price: z.number().optional(),
  compared: z.array(FiltersSchema).optional(),
  memory_gb: z.number().optional(),
  context: z.number().optional(),
});
const ListSchema = z.strictObject({ today: z.string(), questions: z.array(AskedSchema) });

const file = new URL('../../../fixtures/questions/forum-phrasing.json', import.meta.url);
const { today, questions } = ListSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Lists match any of their values, so their order has no meaning. */
const sorted = (filters: Question['filters']) =>
  Object.fromEntries(
    Object.entries(filters)
      .map(([name, value]) => [name, Array.isArray(value) ? [...value].sort() : value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

type Asked = z.output<typeof AskedSchema>;

/** The parts of a question that the list states. */
const expectedOf = ({ q: _, compared, filters, subject, ...asked }: Asked) => ({
  ...asked,
  ...(asked.kind === 'rank' && { subject }),
  filters: sorted(filters),
  compared: (compared ?? []).map(sorted),
});

function readAs(question: Question): ReturnType<typeof expectedOf> {
  const { kind, subject, filters, saysRank, rankBy, order, limit, price, compared, fit } = question;
  const memory = fit === null ? null : memoryOf(question);
  return {
    kind,
    ...(kind === 'rank' && { subject }),
    filters: sorted(filters),
    compared: compared.map(sorted),
    ...(saysRank && { rank_by: rankBy, order }),
    ...(limit !== null && { limit }),
    ...(price !== null && { price }),
    ...(memory !== null && { memory_gb: memory }),
    ...(fit !== null && fit.contextTokens !== null && { context: fit.contextTokens }),
  };
}

function attempt(asked: Asked): { isRight: boolean; got: unknown } {
  try {
    const got = readAs(parseQuestion(asked.q, { today }));
    try {
      expect(got).toEqual(expectedOf(asked));
      return { isRight: true, got };
    } catch {
      return { isRight: false, got };
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { isRight: false, got: error.message };
  }
}

test('interprets at least 99 % of forum questions as expected', () => {
  const wrong = questions.map((asked) => ({ asked, ...attempt(asked) })).filter(({ isRight }) => !isRight);
  const share = 1 - wrong.length / questions.length;
  expect(questions.length).toBeGreaterThanOrEqual(300);
  const details = wrong.map(
    ({ asked, got }) => `${asked.q}\n  wanted ${JSON.stringify(expectedOf(asked))}\n  got    ${JSON.stringify(got)}`,
  );
  expect(share, `${wrong.length} wrong:\n${details.join('\n')}`).toBeGreaterThanOrEqual(0.99);
});

describe('canonical words of each question', () => {
  test.each(questions.filter((asked) => attempt(asked).isRight).map(({ q }) => q))('%s', (q) => {
    const { interpretation: _, ignored: __, ...asked } = parseQuestion(q, { today });
    const words = toWords(asked);
    const { interpretation: ___, ignored: ____, ...again } = parseQuestion(words, { today });
    expect(again, words).toEqual(asked);
  });
});
