import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { faultSentences } from '../fault-sentences.ts';
import { parseQuestion } from '../index.ts';

function refusal(q: string): DomainError {
  try {
    parseQuestion(q);
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('not rejected');
}

test('words with the same hint share a sentence, and each is an error', () => {
  const { message, faults } = refusal('speculative decoding speedup of llama 3.3 70b with a flux capacitor');
  expect(faults).toHaveLength(5);
  expect(message).toBe(
    '"speculative", "decoding" and "speedup" are not understood. "flux" and "capacitor" are not understood.',
  );
  expect(faultSentences(faults).map(({ hint }) => hint)).toEqual([
    'This is not a filter. The page of each system shows it.',
    expect.stringMatching(/^Try a question like/),
  ]);
});

test('other errors keep their messages', () => {
  const faults = [
    { code: 'word_unknown', message: '"a" is not understood.', hint: 'b' },
    { code: 'limit_twice', message: '"5" is a second number of entries.', hint: 'Give one.' },
  ];
  expect(faultSentences(faults)).toEqual(faults);
});

test('a word that is written twice, and an error that is found twice, are listed once', () => {
  expect(refusal('flux capacitor flux').message).toBe('"flux" and "capacitor" are not understood.');
  expect(refusal('flux flux').message).toBe('"flux" is not understood.');
  const twice = { code: 'limit_twice', message: '"5" is a second number of entries.', hint: 'Give one.' };
  expect(faultSentences([twice, twice])).toEqual([twice]);
});

test('a rate in another unit of time has the rate per second', () => {
  const { faults } = refusal('cheapest way to serve 1B tokens per day of llama 3.1 70b');
  expect(faults[0]?.hint).toBe('Use a rate per second: 1B are 11600 tok/s, as in "at least 11600 tok/s".');
});
