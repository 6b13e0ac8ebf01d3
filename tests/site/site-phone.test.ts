/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mainPages } from '../../apps/site/src/lib/site-map.ts';
import { chromiumPath, launchBrowser, withPage } from '../support/site/browser.ts';
import { type SiteWorld, startSiteWorld } from '../support/site/site-world.ts';

const phone = { viewport: { width: 390, height: 844 } };
const desk = { viewport: { width: 1280, height: 900 } };
/** The answer must be within this distance of the top, pixels. */
const answerMax = 600;

describe.skipIf(chromiumPath === null)('the site on a phone, and its search', () => {
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

  const bottomOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => element.getBoundingClientRect().bottom + scrollY);

  test.each([
    ['/', '.answer .winner'],
    ['/?rank_by=ttft_ms_mean', '.answer .winner'],
    ['/?subject=quantization&rank_by=decode_tok_s&scenario=base', '.answer .winner'],
    ['/?q=fastest+quantization+in+decode-bound', '.answer .winner'],
    ['/?q=best+model+under+20ms+ITL+on+rtx-pro-6000', '.answer .winner'],
    ['/models/llama-2-7b', 'main tbody tr .figure'],
    ['/models/gpt-oss-120b', 'main tbody tr .figure'],
    ['/gpus/rtx-pro-6000', 'main tbody tr .figure'],
    ['/search?q=llama', 'main li a'],
    ['/scenarios/tg128', 'main tbody tr .figure'],
    ['/quantizations/gguf-q4_0', 'main tbody tr .figure'],
    ['/explore?workload=tg128-offline&x=itl_ms_mean&y=tok_per_joule', '.explorer figure > svg'],
    ['/models', 'main tbody tr a'],
    ['/gpus', 'main tbody tr a'],
    ['/quantizations', 'main tbody tr a'],
    ['/scenarios', 'main tbody tr a'],
    ['/kernels', 'main tbody td .figure, main tbody td'],
    ['/matrix', 'main tbody td'],
    ['/history?system=VERSION', 'main h2'],
    ['/compare?ids=SERIES', 'main .verdict'],
    ['/systems/REPORT', 'main .in-short strong'],
    ['/submissions/SUBMISSION', 'main .notice, main .verdict'],
  ])('%s shows its answer in the first 600 pixels', async (path, selector) => {
    await withPage(browser, phone, async (page) => {
      const named: Record<string, string | undefined> = {
        ...{ VERSION: world.versions[0], SERIES: world.series.join(','), REPORT: world.reports.grid },
        SUBMISSION: world.submissions.large,
      };
      await page.goto(world.url + path.replace(/[A-Z]{4,}/, (name) => named[name] ?? name));
      expect(await bottomOf(page, selector)).toBeLessThan(answerMax);
    });
  });

  test.each(['/', '/matrix', '/history?system=VERSION'])('the filters of %s are one row that opens', async (path) => {
    await withPage(browser, phone, async (page) => {
      await page.goto(world.url + path.replace('VERSION', world.versions[0] ?? ''));
      const fold = page.locator('main details.fold:has(> form.filters)');
      expect((await fold.boundingBox())?.height).toBeLessThan(60);
      await fold.locator('> summary').click();
      expect(await fold.getByRole('button', { name: 'Show' }).isVisible()).toBe(true);
      await page.setViewportSize(desk.viewport);
      await page.reload();
      expect(await fold.getByRole('button', { name: 'Show' }).isVisible()).toBe(true);
    });
  });

  test('the menu has all pages and the search', async () => {
    await withPage(browser, phone, async (page) => {
      await page.goto(world.url);
      expect((await page.locator('.site-header').boundingBox())?.height).toBeLessThan(60);
      await page.getByText('Menu', { exact: true }).click();
      const menu = page.getByRole('navigation', { name: 'Site' });
      for (const { label } of mainPages) {
        const box = await menu.getByRole('link', { name: label, exact: true }).boundingBox();
        expect(box?.height, label).toBeGreaterThanOrEqual(44);
      }
      await page.getByRole('searchbox', { name: 'Search' }).fill('llama-3.1-8b');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('link', { name: 'Llama 3.1 8B', exact: true }).click();
      expect(new URL(page.url()).pathname).toBe('/models/llama-3.1-8b');
    });
  });

  test('the search works without a script', async () => {
    await withPage(browser, { ...desk, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${world.url}/matrix`);
      const field = page.getByRole('searchbox', { name: 'Search' });
      await field.fill('gguf-q4_0');
      await field.press('Enter');
      expect(new URL(page.url()).search).toBe('?q=gguf-q4_0');
      expect(await page.locator('main li a').first().getAttribute('href')).toBe('/quantizations/gguf-q4_0');
    });
  });

  test('/ focuses the search unless the reader is typing or turned it off', async () => {
    const isFocused = (page: Page) =>
      page.evaluate(() => document.activeElement?.matches('.site-header input[type="search"]') ?? false);
    await withPage(browser, desk, async (page) => {
      await page.goto(`${world.url}/models`);
      await page.keyboard.press('/');
      expect(await isFocused(page)).toBe(true);
      await page.keyboard.type('a/b');
      expect(await page.locator('.wide input').inputValue()).toBe('a/b');
      await page.setViewportSize(phone.viewport);
      await page.reload();
      await page.keyboard.press('/');
      expect(await isFocused(page)).toBe(true);
      await page.setViewportSize(desk.viewport);
      await page.goto(`${world.url}/search`);
      await page.getByRole('checkbox').uncheck();
      await page.goto(`${world.url}/models`);
      await page.keyboard.press('/');
      expect(await isFocused(page)).toBe(false);
    });
  });
});
