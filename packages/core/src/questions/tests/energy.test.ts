import { expect, test } from 'vitest';
import { inUnitOfEnergy, parseQuestion, toWords } from '../index.ts';

test.each([
  ['which gpu uses least energy per token', 'J/tok', 'desc'],
  ['gpu with the highest energy per token', 'J/tok', 'asc'],
  ['joules per token of llama 3.1 70b on h100', 'J/tok', 'desc'],
  ['Wh per million tokens', 'Wh/Mtok', 'desc'],
  ['lowest kwh per million tokens on b200', 'kWh/Mtok', 'desc'],
  ['wh per 1k tokens of llama 3.1 8b', 'Wh/1k tok', 'desc'],
  ['Wh per 1,000 tokens', 'Wh/1k tok', 'desc'],
  ['kWh per 1k tokens llama 3.1 70b', 'kWh/1k tok', 'desc'],
  ['tokens per kWh of llama 3.1 8b', 'tok/kWh', 'desc'],
  ['gpu with the lowest tokens per Wh', 'tok/Wh', 'asc'],
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
  ['Wh/1k tok', 250 / 3600],
  ['kWh/1k tok', 0.25 / 3600],
  ['tok/kWh', 14.4e6],
  ['tok/Wh', 14_400],
] as const)('4 tokens per joule in %s', (unit, value) => {
  expect(inUnitOfEnergy(4, unit)).toBeCloseTo(value);
});
