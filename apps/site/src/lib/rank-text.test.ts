import { expect, test } from 'vitest';
import { isTied, rankText } from './rank-text.ts';

test.each([
  [null, null, false, null, false],
  [7, [7, 7], false, '7', false],
  [2, [2, 9], false, '2–9', true],
  [2, [2, 150], true, '2–150+', true],
  [3, [3, 3], true, '3+', true],
] as const)('rank %s, range %j, lower bound %s: %s', (rank, range, high_at_least, text, tied) => {
  const entry = { rank, rank_spread: range === null ? null : ([...range] as [number, number]), high_at_least };
  expect([rankText(entry), isTied(entry)]).toEqual([text, tied]);
});
