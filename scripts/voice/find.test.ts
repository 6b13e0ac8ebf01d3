import { expect, test } from 'vitest';
import { commentsOf, findUses, proseOf } from './find.ts';
import { words } from './words.ts';

const found = (text: string, phrases: string[] = []) =>
  findUses(text, words, phrases).map((use) => `${use.line} ${use.found}`);

test('words of the dialect are found in each line, in any case', () => {
  expect(found('Told by whoever waits.\nThe row lies in a table\nand goes on for ever.')).toEqual([
    '1 Told',
    '1 whoever',
    '2 lies',
    '3 for ever',
    '3 goes on',
  ]);
});

test('parts of other words are not found', () => {
  expect(found('A standby, an understanding, an outstanding recommendation, two believers besides.')).toEqual([]);
});

test('code, link targets and tags are not prose; link texts, alternative texts and table cells are', () => {
  const markdown = [
    'A `told_regressions` row, [which stands](what-stands.md).',
    '```',
    'told',
    '```',
    '| whatever | `stands` |',
    '<img src="told.png" alt="nobody">',
  ].join('\n');
  expect(found(proseOf(markdown))).toEqual(['1 stands', '5 whatever', '6 nobody']);
});

test('an allowed phrase hides only itself', () => {
  expect(found('The lie detector. It lies.', ['lie detector'])).toEqual(['1 lies']);
});

test('comments are found, and strings are not', () => {
  const source = [
    "const a = 'https://told.example'; // told once",
    '/** Told\n * twice */',
    'const b = `// told in a template`;',
    'const c = "/* told in a string */";',
  ].join('\n');
  expect(commentsOf(source)).toEqual(['// told once', '/** Told\n * twice */']);
});

test('each word has a name, matches it, and gives an alternative that is not in the list', () => {
  for (const { name, instead } of words) {
    expect(found(name), name).not.toEqual([]);
    expect(found(instead), name).toEqual([]);
  }
});
