import { expect, test } from 'vitest';
import { energyPerToken, parseQuestion, toWords } from '../index.ts';

test.each([
  ['which gpu uses least energy per token', 'J/tok', 'desc'],
  ['gpu with the highest energy per token', 'J/tok', 'asc'],
  ['joules per token of llama 3.1 70b on h100', 'J/tok', 'desc'],
  ['Wh per million tokens', 'Wh/Mtok', 'desc'],
  ['lowest kwh per million tokens on b200', 'kWh/Mtok', 'desc'],
  ['tokens per joule on h100', null, 'desc'],
  ['most efficient gpu', null, 'desc'],
])('%s', (q, energyUnit, order) => {
  const { interpretation: _, ignored: __, ...question } = parseQuestion(q);
  expect(question).toMatchObject({ rankBy: 'tok_per_joule', energyUnit, order });
  expect(parseQuestion(toWords(question))).toMatchObject(question);
});

test.each([
  ['J/tok', 0.25],
  ['Wh/Mtok', 250_000 / 3600],
  ['kWh/Mtok', 250 / 3600],
] as const)('4 tokens per joule in %s', (unit, value) => {
  expect(energyPerToken(4, unit)).toBeCloseTo(value);
});
