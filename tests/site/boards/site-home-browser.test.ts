/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

describe.skipIf(chromiumPath === null)('the first page in a browser', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startTestServer();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  test('asking, removing a chip and going back each have a URL, without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(server.url);
      await page.getByLabel('Ask in words').fill('fastest quantization under 12ms ITL in decode-bound');
      await page.getByRole('button', { name: 'Ask' }).click();
      const asked = page.url();
      expect(new URL(asked).searchParams.get('q')).toBe('fastest quantization under 12ms ITL in decode-bound');
      const rows = () => page.locator('.board tbody tr').allInnerTexts();
      const before = await rows();
      await page.getByRole('link', { name: /ITL at most 12 ms/ }).click();
      expect(page.url()).toBe(`${server.url}/?subject=quantization&rank_by=user_tok_s&scenario=decode-bound`);
      const without = await rows();
      await page.goBack();
      expect(page.url()).toBe(asked);
      expect(await rows()).toEqual(before);
      await page.goForward();
      await page.reload();
      expect(await rows()).toEqual(without);
    });
  });

  test('facets are selected and submitted by keyboard only', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(server.url);
      await page.locator('.facet summary', { hasText: 'Scenario' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('checkbox', { name: /^Base/ }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Show' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/scenario=base/);
      expect(await page.locator('.board tbody tr').count()).toBe(7);
    });
  });

  test('every link and field of the page is reached by the tab key, and is visible', async () => {
    await withPage(browser, { viewport: { width: 1280, height: 900 } }, async (page) => {
      await page.goto(`${server.url}/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound`);
      const wanted = await page.evaluate(
        () =>
          [
            ...document.querySelectorAll<HTMLElement>('a[href], button, input:not([type=hidden]), select, summary'),
          ].filter((node) => node.checkVisibility()).length,
      );
      const seen = await tabThrough(page, wanted + 20);
      expect(seen.size).toBeGreaterThanOrEqual(wanted);
    });
  });

  test('on a phone the first place is visible without scrolling', async () => {
    await withPage(browser, { viewport: { width: 390, height: 844 } }, async (page) => {
      await page.goto(server.url);
      const { y = 0, height = 0 } = (await page.locator('.winner').boundingBox()) ?? {};
      expect(height).toBeGreaterThan(0);
      expect(y + height).toBeLessThan(600);
    });
  });

  test('submitted text is shown as plain text', async () => {
    const script = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
    await withPage(browser, {}, async (page, troubles) => {
      page.on('dialog', (dialog) => {
        troubles.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      for (const name of [
        'q',
        'model',
        'scenario',
        'max_itl_ms',
        'rank_by',
        'sort',
        'x',
        'subject',
        'cursor',
        'gpu_usd_per_hour',
        'colour',
      ]) {
        await page.goto(`${server.url}/?${new URLSearchParams({ [name]: script })}`);
        expect(await page.locator('img[src="x"]').count(), name).toBe(0);
        expect(troubles, name).toEqual([]);
      }
    });
  });
});

/** The focused element after each Tab press; fails if the focus is not visible. */
async function tabThrough(page: Page, presses: number): Promise<Set<string>> {
  const seen = new Set<string>();
  for (let press = 0; press < presses; press += 1) {
    await page.keyboard.press('Tab');
    const place = await page.evaluate(() => {
      const node = document.activeElement;
      if (!(node instanceof HTMLElement) || node === document.body) return null;
      const all = [...document.querySelectorAll('*')];
      const { width, height } = node.getBoundingClientRect();
      return { key: String(all.indexOf(node)), isSeen: width > 0 && height > 0, html: node.outerHTML.slice(0, 100) };
    });
    if (place === null) continue;
    expect(place.isSeen, place.html).toBe(true);
    seen.add(place.key);
  }
  return seen;
}
