import { expect, it } from 'vitest';
import { isOfToday } from './read-question.ts';

// Responses to such questions are not cached, because they change the next day.
it.each([
  ['best gpu since march', true],
  ['best gpu LAST month', true],
  ['best gpu \uff4c\uff41\uff53\uff54 week', true],
  ['best gpu la\u017ft week', true],
  ['best gpu since june 2026', false],
  ['best gpu for llama', false],
  ['best last flurb', false],
])('detects whether %j depends on the current day: %s', (q, expected) => {
  expect(isOfToday(q, '2026-11-24')).toBe(expected);
});
