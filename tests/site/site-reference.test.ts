/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { axeViolations, chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';

// The API reference is not a page of the site, but it has the same header, menu and footer.

let server: TestServer;
let browser: Browser | null = null;
beforeAll(async () => {
  server = await startTestServer();
  if (chromiumPath !== null) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.dispose();
});

/** The links of a part of a page, in order, without tags. */
async function linksOf(path: string, part: 'header' | 'footer'): Promise<string[]> {
  const html = await (await fetch(server.url + path)).text();
  const found = new RegExp(`<${part}[\\s\\S]*?</${part}>`).exec(html)?.[0] ?? '';
  return [...found.matchAll(/<a [^>]*href="([^"]+)"[^>]*>\s*([\s\S]*?)\s*<\/a>/g)].map(
    ([, href = '', text = '']) => `${href} ${text.replaceAll(/<[^>]+>/g, '').trim()}`,
  );
}

const pages = ['/docs', '/docs/errors', '/docs/native', '/docs/operations/getLeaderboard'];

test.each(pages)('%s has the links of the site', async (path) => {
  for (const part of ['header', 'footer'] as const) {
    const links = await linksOf(path, part);
    expect(links.length).toBeGreaterThan(10);
    expect(links).toEqual(await linksOf('/glossary', part));
  }
});

test.skipIf(chromiumPath === null)(
  'the search of the reference finds the same as the site, without JavaScript',
  async () => {
    await withPage(browser as Browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/docs`);
      await page.getByRole('searchbox').first().fill('llama');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/search?q=llama');
      expect(await page.locator('h1').textContent()).toBe('Search');
    });
  },
);

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test.skipIf(chromiumPath === null)('a phone has a menu with all pages, and no overflow', async () => {
  const viewport = { width: 390, height: 844 };
  await withPage(browser as Browser, { viewport, hasTouch: true }, async (page) => {
    await page.goto(`${server.url}/docs/operations/getLeaderboard`);
    expect(await page.getByRole('link', { name: 'Compare' }).count()).toBe(0);
    await page.getByText('Menu', { exact: true }).tap();
    expect(await axeViolations(page)).toEqual([]);
    expect(await widthOf(page)).toBe(390);
    await page.getByRole('searchbox').fill('h100');
    await page.getByRole('link', { name: 'Compare' }).tap();
    await page.waitForURL('**/compare');
  });
});
