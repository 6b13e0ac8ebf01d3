import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser } from './support/browser.ts';
import { faultsOfView, targetsByWidthOfLetters } from './support/look.ts';
import { pageTypes, type View } from './support/page-types.ts';
import { type SiteWorld, startSiteWorld } from './support/site-world.ts';

const pagesDir = fileURLToPath(new URL('../apps/site/src/pages', import.meta.url));
/** Pages that are looked at side by side. */
const hands = 2;

test('every page of the site is among those that are looked at', () => {
  const files = globSync('**/*.astro', { cwd: pagesDir }).toSorted();
  expect(files.length).toBeGreaterThan(15);
  expect(pageTypes.flatMap(({ file }) => file ?? []).toSorted()).toEqual(files);
});

describe.skipIf(chromiumPath === null)('every kind of page', () => {
  let world: SiteWorld;
  let browser: Browser;

  beforeAll(async () => {
    world = await startSiteWorld();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.dispose();
  });

  test('axe finds nothing, nothing scrolls sideways, and it is light, in light and dark, at 320 and 1280 pixels', async () => {
    const views = pageTypes.flatMap(({ views }) =>
      views(world).map((view): View => (typeof view === 'string' ? { path: view } : view)),
    );
    const left = views.values();
    const faults: string[] = [];
    const work = async () => {
      for (const view of left) faults.push(...(await faultsOfView(browser, world.url, view)));
    };
    await Promise.all(Array.from({ length: hands }, work));
    expect(faults).toEqual([]);
  });

  // Where a heading breaks depends on the width of its letters.
  test.each(['/', '/?rank_by=ttft_ms_mean'])('the links of %s can be met in a font of any width', async (path) => {
    expect(await targetsByWidthOfLetters(browser, world.url + path)).toEqual([]);
  });
});
