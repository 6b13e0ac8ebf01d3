import { expect, test } from 'vitest';
import { composeText, prefixWords, type TextIdentity, withFreshPrefix } from './compose.ts';
import { promptWords } from './words.ts';

const shape = { words: promptWords, wordCount: 200, tail: '' };
const identity: TextIdentity = { seed: 1, salt: 'run_1', index: 0 };
const wordsOf = (text: string) => text.split(' ').slice(1);

test('has 256 different words of four letters', () => {
  expect(new Set(promptWords).size).toBe(256);
  for (const word of promptWords) expect(word).toMatch(/^[a-z]{4}$/);
});

test('composes a text of a digit, words and a tail', () => {
  const text = composeText({ ...shape, tail: 'xx' }, identity);
  expect(text).toMatch(/^\d( [a-z]{4}){199} [a-z]{4}xx$/);
});

test('gives the same text for the same identity', () => {
  expect(composeText(shape, identity)).toBe(composeText(shape, identity));
});

// With the same beginning, the prefix cache of the first run would serve the second run of a seed.
test('changes only the beginning with another salt', () => {
  const [first, second] = [composeText(shape, identity), composeText(shape, { ...identity, salt: 'run_2' })];
  const [a, b] = [wordsOf(first), wordsOf(second)];
  expect(a.slice(prefixWords)).toEqual(b.slice(prefixWords));
  expect(a.slice(0, 4)).not.toEqual(b.slice(0, 4));
});

test.each([
  ['seed', { seed: 2 }],
  ['index', { index: 1 }],
])('changes the whole text with another %s', (_title, part) => {
  const [a, b] = [composeText(shape, identity), composeText(shape, { ...identity, ...part })].map(wordsOf);
  const same = a?.filter((word, index) => word === b?.[index]).length;
  expect(same).toBeLessThan(10);
});

test('gives ten thousand prompts with different first four words', () => {
  const beginnings = Array.from({ length: 10_000 }, (_, index) =>
    composeText({ ...shape, wordCount: 4 }, { ...identity, index }),
  );
  expect(new Set(beginnings).size).toBe(beginnings.length);
});

test('adds a unique beginning to an unchanged recorded text', () => {
  const text = withFreshPrefix('What is 2 + 2?', identity);
  expect(text).toMatch(/^\d( [a-z]{4}){16}\n\nWhat is 2 \+ 2\?$/);
  expect(withFreshPrefix('What is 2 + 2?', { ...identity, salt: 'run_2' })).not.toBe(text);
});
