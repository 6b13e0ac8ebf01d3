/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage } from '../../support/site/browser.ts';

// The limit of the explorer without typing, and the code that embeds a chart.

const start = '/explore?workload=8k-1k-steady&model=deepseek-r1';

describe.skipIf(chromiumPath === null)('a limit in the explorer', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer({ SAMPLE_DATA: 'public' });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  const limitOf = (page: Page) => new URL(page.url()).searchParams.get('limit');
  /** Presses the handle of the limit, and returns its position. */
  async function press(page: Page): Promise<{ x: number; y: number }> {
    const box = await page.locator('.bound .grip').boundingBox();
    if (box === null) throw new Error('no handle');
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    return at;
  }

  test('is added with a visible handle; ranking and URL follow while it is dragged', async () => {
    await withPage(browser, { viewport: { width: 1280, height: 1000 } }, async (page, troubles) => {
      await page.goto(server.url + start);
      await page.locator('#explorer.live').waitFor();
      const at = await press(page);
      await page.mouse.move(at.x + 300, at.y, { steps: 3 });
      await page.locator('.ranking ol li').first().waitFor();
      await expect.poll(() => limitOf(page)).not.toBeNull();
      const first = limitOf(page);
      const heading = await page.locator('.ranking h3').textContent();
      await page.mouse.move(at.x + 420, at.y, { steps: 3 });
      await expect.poll(() => limitOf(page)).not.toBe(first);
      await expect.poll(() => page.locator('.ranking h3').textContent()).not.toBe(heading);
      // The pointer is still down: the chart has not been replaced.
      expect(await page.locator('.limit').count()).toBe(0);
      await page.mouse.up();
      await page.locator('.limit').waitFor({ state: 'attached' });

      const again = await press(page);
      await page.mouse.move(again.x - 80, again.y, { steps: 3 });
      const before = Number(limitOf(page));
      await expect.poll(() => Number(limitOf(page))).toBeLessThan(before + 1);
      await page.mouse.up();
      await expect.poll(() => Number(limitOf(page))).toBeLessThan(before);
      // One drag is one entry of the history.
      await page.goBack();
      await page.goBack();
      await expect.poll(() => limitOf(page)).toBeNull();
      expect(troubles).toEqual([]);
    });
  });

  test('on / updates the table and the URL, which has the same state without a script', async () => {
    await withPage(browser, { viewport: { width: 1280, height: 1000 } }, async (page, troubles) => {
      await page.goto(server.url);
      await page.locator('#explorer.live').waitFor();
      const rows = () => page.locator('.board tbody tr').evaluateAll((all) => all.map((row) => row.textContent));
      const all = await rows();
      const at = await press(page);
      await page.mouse.move(at.x + 200, at.y, { steps: 3 });
      // Before the release.
      await page.waitForURL((url) => url.searchParams.has('min_user_tok_s'));
      await expect.poll(rows).not.toEqual(all);
      await page.mouse.up();
      await page.locator('.limit').waitFor({ state: 'attached' });
      await expect.poll(() => page.locator('#explorer').getAttribute('aria-busy')).toBeNull();
      const url = new URL(page.url());
      expect(url.pathname).toBe('/');
      const limit = url.searchParams.get('min_user_tok_s');
      expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(limit);
      const shown = await rows();
      await page.goto(url.href);
      expect(await rows()).toEqual(shown);
      expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe(limit);

      await page.getByRole('link', { name: 'Remove limit' }).click();
      await page.waitForURL((other) => !other.searchParams.has('min_user_tok_s'));
      await expect.poll(rows).toEqual(all);
      expect(troubles).toEqual([]);
    });
  });

  test('is added with the keyboard from the handle', async () => {
    await withPage(browser, { viewport: { width: 1280, height: 1000 } }, async (page) => {
      await page.goto(server.url + start);
      await page.locator('#explorer.live').waitFor();
      const slider = page.getByRole('slider', { name: 'Limit on Per-user speed' });
      expect(await slider.getAttribute('aria-valuetext')).toBe('no limit');
      await slider.focus();
      await page.keyboard.press('PageUp');
      await page.waitForURL((url) => url.searchParams.has('limit'));
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/tok\/s/);
    });
  });

  test('is added and removed with links without a script', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(server.url + start);
      await page.getByRole('link', { name: 'Add limit' }).click();
      expect(Number(limitOf(page))).toBeGreaterThan(0);
      expect(await page.locator('.ranking ol li').count()).toBeGreaterThan(1);
      await page.getByRole('link', { name: 'Remove limit' }).click();
      expect(limitOf(page)).toBeNull();
    });
  });

  test('the embed code is shown below the chart, has a copy button, and opens the chart', async () => {
    await withPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.goto(`${server.url}${start}&limit=50`);
      await page.locator('#explorer.live').waitFor();
      await page.getByText('Embed', { exact: true }).click();
      const code = (await page.locator('.folds code').textContent()) ?? '';
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
      const [, source = ''] = /^<iframe src="([^"]+)" width="800" height="640"/.exec(code) ?? [];
      const { pathname, search } = new URL(source.replaceAll('&amp;', '&'));
      expect(pathname + search).toBe(`/embed${start}&limit=50`);
      expect((await fetch(server.url + pathname + search)).status).toBe(200);
    });
  });
});
