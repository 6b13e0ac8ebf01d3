import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchBrowser } from './browser.ts';
import { faultsOfView } from './look.ts';
import type { PageType, View } from './page-types.ts';
import { type SiteWorld, startSiteWorld } from './site-world.ts';

/** Number of views of a page that are tested concurrently. */
const hands = 2;

/** `npm run test:fresh` looks at all views, each in all states. Other runs look at the first views of a page. */
const isFresh = process.env.TEST_RUNS !== undefined;
export const viewsMax = isFresh ? Number.POSITIVE_INFINITY : 2;

interface Opened {
  world: SiteWorld;
  browser: Browser;
}

/**
 * Tests all views of some page types: axe, bytes and the log; the layout at 390 and 1440 pixels. One test for each file of a page.
 *
 * @param more further tests with the same service and browser
 */
export function testPages(types: readonly PageType[], more: (opened: Opened) => void = () => {}): void {
  describe.skipIf(chromiumPath === null)('every kind of page', () => {
    const opened = {} as Opened; // Filled before the tests run.

    beforeAll(async () => {
      opened.world = await startSiteWorld();
      opened.browser = await launchBrowser();
    });
    afterAll(async () => {
      await opened.browser?.close();
      await opened.world?.dispose();
    });

    test.each(types)('$file: has no errors in light and dark, on phones and desktops', async ({ views }) => {
      const { world, browser } = opened;
      const left = views(world)
        .slice(0, viewsMax)
        .map((view): View => (typeof view === 'string' ? { path: view } : view))
        .entries();
      const faults: string[] = [];
      const work = async () => {
        for (const [at, view] of left)
          faults.push(...(await faultsOfView(browser, world.url, view, at === 0 || isFresh)));
      };
      await Promise.all(Array.from({ length: hands }, work));
      expect(faults).toEqual([]);
    });
    more(opened);
  });
}
