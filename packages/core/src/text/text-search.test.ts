import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArtifactText } from '../adapters/reading/text/artifact-text.ts';
import { checkCredentials } from '../credentials.ts';
import { TextSearch } from './text-search.ts';

/** Long enough for the table of triples, and without the searched words. */
const filler = 'req/s: 1234.5 µs │ ok\n'.repeat(4000);
const word = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('µs │', 'q/s', 'OK'),
);

// Wrongly reporting a word as absent would hide a whole report.
test('finds a word in a large text if and only if it is present, at any position', () => {
  fc.assert(
    fc.property(word, word, fc.nat({ max: filler.length }), (hidden, asked, at) => {
      const search = new TextSearch(filler.slice(0, at) + hidden + filler.slice(at));
      expect(search.has(asked)).toBe(search.text.includes(asked));
      expect(search.has(hidden)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('returns the lines with any of the words, in order', () => {
  const piece = fc.constantFrom('ab', 'bc', 'abc', '', 'x', 'é│', '\n');
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      (pieces, asked) => {
        const words = asked.filter((each) => each.trim() !== '');
        const lines = pieces.join('').split('\n');
        const expected = lines.flatMap((line, index) => (words.some((each) => line.includes(each)) ? [index + 1] : []));
        expect(new ArtifactText(lines).linesWith(...words)).toEqual(expected);
      },
    ),
  );
});

// The patterns ignore case, so the preliminary search must too.
test.each([
  'curl -H "Authorization: BEARER abcdefgh12345678"',
  'export API_KEY=a1b2c3d4e5f6g7h8',
  '--OpenAI-Api-Key a1b2c3d4e5f6g7h8',
  `github_pat_${'a1'.repeat(20)}`,
])('finds a secret in a large text, with its line: %s', (secret) => {
  const [fault, ...others] = checkCredentials(new TextSearch(`${filler}${secret}\n${filler}`));
  expect(fault).toMatchObject({ code: 'credential_found', line: 4001 });
  expect(others).toEqual([]);
});
