import { expect, test } from 'vitest';
import { importedText } from './imported-text.ts';

test.each([
  [{ imported: 1, total: 1, isImportedAtLeast: false }, /^The row of this board is a published figure/],
  [{ imported: 3, total: 3, isImportedAtLeast: false }, /^All 3 rows of this board are published figures/],
  [{ imported: 1, total: 3, isImportedAtLeast: false }, /^1 of the 3 rows of this board is a published figure/],
])('%j', (counts, text) => {
  expect(importedText(counts)).toMatch(text);
});
