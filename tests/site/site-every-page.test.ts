import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testPages } from '../support/site/every-page.ts';
import { targetsByWidthOfLetters } from '../support/site/look.ts';
import { longPages, pageTypes } from '../support/site/page-types.ts';

const pagesDir = fileURLToPath(new URL('../../apps/site/src/pages', import.meta.url));

test('checks every page of the site', () => {
  const files = globSync('**/*.astro', { cwd: pagesDir }).toSorted();
  expect(files.length).toBeGreaterThan(15);
  expect(pageTypes.flatMap(({ file }) => file ?? []).toSorted()).toEqual(files);
});

testPages(
  pageTypes.filter(({ file }) => !longPages.has(file ?? '')),
  (opened) => {
    // Line breaks of a heading depend on the font's width.
    test.each(['/', '/?rank_by=ttft_ms_mean'])('links of %s are large enough in any font width', async (path) => {
      expect(await targetsByWidthOfLetters(opened.browser, opened.world.url + path)).toEqual([]);
    });
  },
);
